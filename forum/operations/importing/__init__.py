"""Saves many posts and the people who voted on them, for imports and the demo content."""
