"""Redis that is away: nothing listens where voting and the cache look for it. SQL that refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

from forum.gateway.service import get_voting_service


@contextmanager
def redis_away(settings: Any) -> Iterator[None]:
    """Let voting and the cache look for Redis where nobody answers, until the block ends."""
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
def sql_refuses(beginning: str) -> Iterator[None]:
    """Let SQL fail at every statement of this thread that begins so, until the block ends."""

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(beginning):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield
