"""Runs actions at the same time, to test race conditions."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any, TypeVar

from django.db import connection

Result = TypeVar("Result")


def run_at_once(*actions: Callable[[], Result]) -> list[Result]:
    """Run all actions at the same time, each in a thread with its own database connection."""
    barrier = Barrier(len(actions))

    def begin(action: Callable[[], Result]) -> Result:
        barrier.wait()
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(begin, actions))


@contextmanager
def before_query(named: str, action: Callable[[], object]) -> Iterator[None]:
    """In the `with` block, run `action` before the first SQL query with `named` as a parameter."""
    waiting = [action]

    def ask(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        if waiting and named in (params or ()):
            waiting.pop()()
        return execute(sql, params, *rest)

    with connection.execute_wrapper(ask):
        yield
    assert not waiting, f"no query had the parameter {named}"


@contextmanager
def after_query(part: str, action: Callable[[], object]) -> Iterator[None]:
    """In the `with` block, run `action` just after the first SQL query that contains `part`."""
    waiting = [action]

    def ask(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if waiting and part in sql:
            run_at_once(waiting.pop())
        return found

    with connection.execute_wrapper(ask):
        yield
    assert not waiting, f"no query contained {part}"
