"""Who makes a request: sessions, viewers, known browsers, visitors and activity."""
