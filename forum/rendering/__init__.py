"""Rows, comments and threads as HTML, and the caches that keep them."""
