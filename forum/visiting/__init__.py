"""Who is looking: sessions, viewers, visitors, and how fast they may act."""
