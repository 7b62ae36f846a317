"""Who is looking: sessions, viewers, known browsers, visitors and activity."""
