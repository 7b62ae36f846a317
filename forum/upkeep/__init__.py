"""Keeping Redis and SQL one: rebuilding, checking."""
