"""Errors of PostgreSQL connections. This module works without psycopg, for sites with SQLite."""

from django.db import OperationalError


class PoolExhausted(OperationalError):
    """No connection of this process's pool became free in time."""
