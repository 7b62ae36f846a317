"""The Django side of Rostra: people, content, pages. Knows nothing of Redis keys or commands."""
