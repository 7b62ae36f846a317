"""Queries of SQL and voting for pages. Nothing here writes to SQL."""
