"""Actions of several people at the same time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

from django.db import connection


def run_at_once(*actions: Callable[[], object]) -> None:
    """Run all actions at the same time, each in a thread with its own database connection."""
    barrier = Barrier(len(actions))

    def begin(action: Callable[[], object]) -> None:
        barrier.wait()
        try:
            action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        list(pool.map(begin, actions))


@contextmanager
def before_query(named: str, action: Callable[[], object]) -> Iterator[None]:
    """Run `action` once, just before this thread's first query with the parameter `named`."""
    waiting = [action]

    def ask(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        if waiting and named in (params or ()):
            waiting.pop()()
        return execute(sql, params, *rest)

    with connection.execute_wrapper(ask):
        yield
    assert not waiting, f"no query had the parameter {named}"
