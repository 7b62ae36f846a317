"""How long Redis is waited for: as commands at a terminal do, but where a test is about people."""

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
    """Wait for Redis as long as pages do for people meanwhile, for votes and cache alike."""
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
    """Let nobody ask a server again that did not answer meanwhile, however busy the machine is."""
    before, now = Breaker.clock, monotonic()
    Breaker.clock = staticmethod(lambda: now)
    yield
    Breaker.clock = staticmethod(before)
