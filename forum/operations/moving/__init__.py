"""Moves a site to a separate Redis server, a PostgreSQL server, or both.

The site is read-only during the move.
"""
