"""Redis that is away: nothing listens where voting and the cache look for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from forum.store import voting


@contextmanager
def redis_away(settings: Any) -> Iterator[None]:
    """Let voting and the cache look for Redis where nobody answers, until the block ends."""
    nowhere = "unix:///nowhere/valkey.sock?db=0"
    before = settings.REDIS_URL, settings.CACHES
    settings.REDIS_URL = nowhere
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": nowhere}}
    voting.cache_clear()
    try:
        yield
    finally:
        settings.REDIS_URL, settings.CACHES = before
        voting.cache_clear()
