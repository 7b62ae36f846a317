"""Timeouts for Redis: long as for commands, or short as for pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from forum.gateway.service import PATIENCE, get_voting_service
from voting.redis.breaker import Breaker
from voting.service import TIMEOUT


@contextmanager
def people_waiting() -> Iterator[None]:
    """Wait for Redis as long as pages do, for votes and cache, until the block ends."""
    cache: dict[str, Any] = settings.CACHES["default"]
    place = cache["LOCATION"]
    address = place if isinstance(place, str) else place[0]
    # Connections are kept by address, with the patience of whoever made them.
    own = f"{address}{'&' if '?' in address else '?'}socket_timeout={TIMEOUT}"
    with pytest.MonkeyPatch.context() as shell:
        shell.delenv(PATIENCE, raising=False)
        with override_settings(CACHES={"default": cache | {"LOCATION": own}}):
            get_voting_service.cache_clear()
            yield
    get_voting_service.cache_clear()


@contextmanager
def no_time_passing() -> Iterator[None]:
    """Keep the breaker of a server that did not respond open, however busy the machine is."""
    before, now = Breaker.clock, monotonic()
    Breaker.clock = staticmethod(lambda: now)
    yield
    Breaker.clock = staticmethod(before)
