"""Staff rename, close and merge groups."""
