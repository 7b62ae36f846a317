"""Errors of PostgreSQL connections. Doesn't import psycopg, because SQLite sites don't need it."""

from django.db import OperationalError


class PoolExhausted(OperationalError):
    """No connection of this process's pool became free in time."""
