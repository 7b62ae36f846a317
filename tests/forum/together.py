"""What several people do in the same moment."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

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


@contextmanager
def meanwhile(named: str, deed: Callable[[], object]) -> Iterator[None]:
    """Let somebody do something once, while this thread is about to ask SQL for a name."""
    waiting = [deed]

    def ask(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        if waiting and named in (params or ()):
            waiting.pop()()
        return execute(sql, params, *rest)

    with connection.execute_wrapper(ask):
        yield
    assert not waiting, f"nobody asked for {named}"
