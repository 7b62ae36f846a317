"""The Django side of Rostra: people, content, pages. Only `voting` uses Redis keys and commands."""

__version__ = "1.1.0"
