"""Flags: people report posts, comments and people to moderators."""
