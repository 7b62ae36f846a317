"""Counts round trips to Redis, with relays that pass data between the site and Redis."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from forum.store.service import get_voting_service
from tests.voting.relays import Relay, relay, server_socket


@contextmanager
def counted_round_trips(settings: Any) -> Iterator[tuple[Relay, Relay]]:
    """Yield two relays (proxies) that count round trips to Redis: for voting, and for the cache."""
    before = settings.REDIS_URL, settings.CACHES
    with relay(server_socket()) as to_voting, relay(server_socket()) as to_cache:
        aside = to_cache.url.replace("db=0", "db=1")
        settings.REDIS_URL = to_voting.url
        settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": aside}}
        get_voting_service.cache_clear()
        try:
            yield to_voting, to_cache
        finally:
            settings.REDIS_URL, settings.CACHES = before
            get_voting_service.cache_clear()
