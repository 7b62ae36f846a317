"""Renders rows, comments and threads as HTML, and caches that HTML."""
