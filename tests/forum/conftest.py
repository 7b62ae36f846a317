"""Fixtures shared by many tests: Ada, Bob, and a site with the demo content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forum.gateway.service import get_voting_service
from forum.models import User
from forum.queries.groups import directory
from forum.staff.owner_texts.queries import written
from forum.staff.pins.queries import pins
from tests.forum.demo_copies import Demo, LoadedDemo
from tests.forum.factories import person
from tests.voting.servers import Server, own_server
from tests.voting.sites import Clock
from voting.types import Rules


@pytest.fixture(autouse=True)
def _process_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache groups and texts for longer than a test takes, and none of another test."""
    monkeypatch.setattr("forum.queries.groups.REMEMBERED", 3_600)
    monkeypatch.setattr("forum.queries.process_cache.SECONDS", 3_600)
    directory.forget()
    written.forget()
    pins.forget()


@pytest.fixture
def ada() -> User:
    """Ada, an author."""
    return person("ada")


@pytest.fixture
def bob() -> User:
    """Bob, a stranger."""
    return person("bob")


@pytest.fixture
def server(tmp_path: Path, settings: Any) -> Iterator[Server]:
    """The site's own Redis server, open and empty, which the test may damage."""
    with own_server(tmp_path) as own:
        before, settings.REDIS_URL = settings.REDIS_URL, own.url
        get_voting_service.cache_clear()
        own.opened()
        yield own
    settings.REDIS_URL = before
    get_voting_service.cache_clear()


@pytest.fixture
def voting_clock() -> Iterator[Clock]:
    """The clock of voting, which the test can set."""
    service, clock = get_voting_service(), Clock()
    before, service.clock = service.clock, clock
    yield clock
    service.clock = before


@pytest.fixture(scope="session")
def demo_content() -> Demo:
    """The demo content, shared by tests."""
    return Demo()


@pytest.fixture
def demo(demo_content: Demo) -> LoadedDemo:
    """Load the demo content."""
    loaded = demo_content.load()
    directory.forget()
    return loaded


@pytest.fixture
def new_rules(settings: Any) -> Iterator[Any]:
    """Restart the site with other rules and a fixed VOTES_PER_DAY."""

    def restart(**changed: Any) -> None:
        settings.VOTES_PER_DAY = round(86_400 / Rules(**changed).weight)
        settings.VOTING_RULES = Rules(**changed)
        get_voting_service.cache_clear()

    yield restart
    get_voting_service.cache_clear()
