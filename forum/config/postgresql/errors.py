"""Errors of PostgreSQL connections. Sites with SQLite can import this module without psycopg."""

from django.db import OperationalError


class PoolExhausted(OperationalError):
    """No connection of this process's pool became free in time."""
