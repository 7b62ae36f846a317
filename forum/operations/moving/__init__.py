"""Moves a site from one machine to its own Redis and PostgreSQL servers.

The site is read-only during the move.
"""
