"""Writing posts and comments, and telling Redis."""
