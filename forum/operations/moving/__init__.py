"""Moves a site from one machine to separate Redis and PostgreSQL servers.

The site is read-only during the move.
"""
