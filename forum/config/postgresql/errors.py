"""Errors of PostgreSQL connections, without psycopg, which SQLite doesn't need."""

from django.db import OperationalError


class PoolExhausted(OperationalError):
    """No connection of the process's pool became free in time."""
