"""A lock shared by all processes that use a PostgreSQL database, on any machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

from django.db import connection

SETUP_LOCK = 0x526F73747261
"""The number of the lock for setting up tables: "Rostra" in ASCII."""
RETRY_SECONDS = 0.2


@contextmanager
def setup_lock() -> Iterator[None]:
    """Wait for other processes that set up tables, then hold a lock until the block ends.

    PostgreSQL releases the lock if the process dies. On SQLite there is no lock, because only one
    `up` can use an SQLite file.
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
    # Poll instead of waiting in a query: building an index CONCURRENTLY waits for all running
    # queries, and a query that waits for this lock would never end.
    while not _ask("SELECT pg_try_advisory_lock(%s)"):
        sleep(RETRY_SECONDS)


def _ask(question: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(question, [SETUP_LOCK])
        return bool(cursor.fetchone()[0])
