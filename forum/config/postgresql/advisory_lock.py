"""One process at a time on a PostgreSQL that several machines share."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

from django.db import connection

PREPARING = 0x526F73747261
"""The advisory lock of who makes tables ready: a number that nothing else here locks."""
PATIENCE = 0.2
"""Seconds between looks at who has the lock."""


@contextmanager
def alone() -> Iterator[None]:
    """Hold the lock until the block ends; others wait. Where its holder dies, the lock is free.

    SQLite needs none: its file belongs to one machine, and to the one `up` that claimed it.
    """
    if connection.vendor != "postgresql":
        yield
        return
    _take()
    try:
        yield
    finally:
        _ask("SELECT pg_advisory_unlock(%s)")


def _take() -> None:
    # Asking again and again, since who waits inside a query would hold up the lock's holder
    # where that builds an index CONCURRENTLY.
    while not _ask("SELECT pg_try_advisory_lock(%s)"):
        sleep(PATIENCE)


def _ask(question: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(question, [PREPARING])
        return bool(cursor.fetchone()[0])
