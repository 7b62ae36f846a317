"""The sender of a request: sessions, viewers, known browsers, visitors and daily activity."""
