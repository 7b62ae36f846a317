"""What several people do in the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def all_at_once(*deeds: Callable[[], object]) -> None:
    """Do everything at the same time, each in a thread with a connection of its own."""
    line = Barrier(len(deeds))

    def begin(deed: Callable[[], object]) -> None:
        line.wait()
        try:
            deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        list(pool.map(begin, deeds))
