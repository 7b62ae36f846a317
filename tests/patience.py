"""Gives tests the short Redis timeouts that apply while a site makes a page."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from forum.store.service import PATIENCE, get_voting_service
from voting.redis.breaker import Breaker
from voting.service import TIMEOUT


@contextmanager
def people_waiting() -> Iterator[None]:
    """Use short Redis timeouts until the `with` block ends."""
    cache: dict[str, Any] = settings.CACHES["default"]
    place = cache["LOCATION"]
    address = place if isinstance(place, str) else place[0]
    # Pooled connections keep their timeout. There is a pool for each URL, so change the URL.
    own = f"{address}{'&' if '?' in address else '?'}socket_timeout={TIMEOUT}"
    with pytest.MonkeyPatch.context() as shell:
        shell.delenv(PATIENCE, raising=False)
        with override_settings(CACHES={"default": cache | {"LOCATION": own}}):
            get_voting_service.cache_clear()
            yield
    get_voting_service.cache_clear()


@contextmanager
def no_time_passing() -> Iterator[None]:
    """Stop the clock of all breakers, so that no breaker's pause after a failure ends."""
    before, now = Breaker.clock, monotonic()
    Breaker.clock = staticmethod(lambda: now)
    yield
    Breaker.clock = staticmethod(before)
