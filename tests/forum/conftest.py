"""Who and what many tests begin with: Ada, Bob, and a site with the demo content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forum.gateway.service import get_voting_service
from forum.models import User
from forum.queries.groups import directory
from forum.staff.owner_texts.queries import written
from forum.staff.pins.queries import pins
from tests.forum.cast import person
from tests.forum.copies import Demo, Loaded
from tests.voting.servers import Server, own_server
from tests.voting.sites import Clock
from voting.types import Rules


@pytest.fixture(autouse=True)
def _remembered_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember groups for longer than a test takes, and none of another test."""
    monkeypatch.setattr("forum.queries.groups.REMEMBERED", 3_600)
    monkeypatch.setattr("forum.queries.process_cache.SECONDS", 3_600)
    directory.forget()
    written.forget()
    pins.forget()


@pytest.fixture
def ada() -> User:
    """Ada writes."""
    return person("ada")


@pytest.fixture
def bob() -> User:
    """Bob is somebody else."""
    return person("bob")


@pytest.fixture
def server(tmp_path: Path, settings: Any) -> Iterator[Server]:
    """A server of the test's own behind the site, open and empty, to be hurt."""
    with own_server(tmp_path) as own:
        before, settings.REDIS_URL = settings.REDIS_URL, own.url
        get_voting_service.cache_clear()
        own.opened()
        yield own
    settings.REDIS_URL = before
    get_voting_service.cache_clear()


@pytest.fixture
def voting_clock() -> Iterator[Clock]:
    """The clock of voting, which the test moves."""
    service, clock = get_voting_service(), Clock()
    before, service.clock = service.clock, clock
    yield clock
    service.clock = before


@pytest.fixture(scope="session")
def demo_content() -> Demo:
    """The demo, to be given to many tests."""
    return Demo()


@pytest.fixture
def demo(demo_content: Demo) -> Loaded:
    """Give the site its demo content."""
    loaded = demo_content.give()
    directory.forget()
    return loaded


@pytest.fixture
def new_rules(settings: Any) -> Iterator[Any]:
    """Lets a test start the site again with other rules, among them a fixed VOTES_PER_DAY."""

    def restart(**changed: Any) -> None:
        settings.VOTES_PER_DAY = round(86_400 / Rules(**changed).weight)
        settings.VOTING_RULES = Rules(**changed)
        get_voting_service.cache_clear()

    yield restart
    get_voting_service.cache_clear()
