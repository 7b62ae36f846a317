"""The people behind requests: sessions, viewers, known browsers, visitors and activity."""
