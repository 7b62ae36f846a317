"""Simulated outages of Redis and SQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

from forum.store.service import get_voting_service


@contextmanager
def redis_down(settings: Any) -> Iterator[None]:
    """Connect voting and the cache to a Redis that doesn't exist, until the `with` block ends."""
    nowhere = "unix:///nowhere/valkey.sock?db=0"
    before = settings.REDIS_URL, settings.CACHES
    settings.REDIS_URL = nowhere
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": nowhere}}
    get_voting_service.cache_clear()
    try:
        yield
    finally:
        settings.REDIS_URL, settings.CACHES = before
        get_voting_service.cache_clear()


@contextmanager
def failing_sql(beginning: str) -> Iterator[None]:
    """In the `with` block, fail this thread's SQL statements that start with `beginning`."""

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(beginning):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield
