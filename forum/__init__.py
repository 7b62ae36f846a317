"""The Django side of Rostra: people, content, pages. Knows nothing of Redis keys or commands."""

__version__ = "1.1.0"
