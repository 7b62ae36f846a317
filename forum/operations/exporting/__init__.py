"""Writes the whole site as JSON lines, and loads such files into an empty site."""
