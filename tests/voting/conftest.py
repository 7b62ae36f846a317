"""Fixtures of the tests of `voting/`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.voting.servers import Server, own_server
from tests.voting.sites import Clock, Seconds, site_at
from voting.redis.breaker import Breaker
from voting.service import VotingService


@pytest.fixture
def clock() -> Clock:
    """The site's clock, which tests can set to another time."""
    return Clock()


@pytest.fixture(autouse=True)
def _usual_store(_empty_site: None) -> None:
    """Make the empty Redis ready for posts, with the default settings for voting (`Rules`)."""
    site_at(settings.REDIS_URL).maintenance.generations.open()


@pytest.fixture
def site(clock: Clock) -> VotingService:
    """A site with the default settings for voting (`Rules`) and a clock that tests can set."""
    return site_at(settings.REDIS_URL, clock=clock)


@pytest.fixture
def seconds() -> Iterator[Seconds]:
    """A clock that tests can set. All breakers use this clock."""
    before, clock = Breaker.clock, Seconds()
    Breaker.clock = staticmethod(clock)
    yield clock
    Breaker.clock = staticmethod(before)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that only one test uses. The test may kill or fill the server."""
    with own_server(tmp_path) as own:
        yield own
