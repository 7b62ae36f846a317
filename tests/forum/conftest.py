"""Fixtures shared by many tests of the forum: posts, servers, and the demo content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from forum.actions import rules
from forum.actions.policy import policy
from forum.models import Comment, Group, Post, User
from forum.queries import days, group_moderators, owner_texts, role_marks
from forum.queries.groups import directory
from forum.queries.pins import pins
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.demo_copies import Demo, LoadedDemo
from tests.forum.factories import groups, post, reader
from tests.forum.oidc import Provider, site_with_provider
from tests.voting.servers import Server, own_server
from tests.voting.sites import Clock
from voting.types import Rules


@pytest.fixture(autouse=True)
def _process_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test with empty process caches, which don't expire during the test."""
    monkeypatch.setattr("forum.queries.process_cache.SECONDS", 3_600)
    directory.forget()
    days.best_of_yesterday.forget()
    owner_texts.written.forget()
    pins.forget()
    policy.forget()
    group_moderators.forget_all()
    rules.enabled.forget()
    role_marks.forget()


@pytest.fixture
def admin(root: User) -> Client:
    """Root's browser."""
    return reader(root)


@pytest.fixture
def books() -> Group:
    """The group "books"."""
    return groups("books")[0]


@pytest.fixture
def window(ada: User) -> Client:
    """Ada's browser."""
    return reader(ada)


@pytest.fixture
def written(ada: User) -> Post:
    """A post by Ada."""
    return post(ada)


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Knots")


@pytest.fixture
def question(ada: User) -> Post:
    return post(ada, "Which book?", kind=Post.Kind.QUESTION)


@pytest.fixture
def rude(bob: User, knots: Post) -> Comment:
    """A comment by Bob on the post "Knots"."""
    return add_comment(bob, knots, "Rude words.")


@pytest.fixture
def server(tmp_path: Path, settings: Any) -> Iterator[Server]:
    """An empty Redis server that the site uses during one test. The test may damage the server."""
    with own_server(tmp_path) as own:
        before, settings.REDIS_URL = settings.REDIS_URL, own.url
        get_voting_service.cache_clear()
        own.opened()
        yield own
    settings.REDIS_URL = before
    get_voting_service.cache_clear()


@pytest.fixture
def voting_clock() -> Iterator[Clock]:
    """The voting service's clock, which the test can set."""
    service, clock = get_voting_service(), Clock()
    before, service.clock = service.clock, clock
    yield clock
    service.clock = before


@pytest.fixture(scope="session")
def demo_content() -> Demo:
    """Loads the demo content for the first test, and restores a copy of it for later tests."""
    return Demo()


@pytest.fixture
def demo(demo_content: Demo) -> LoadedDemo:
    """Load the demo content into the test's site."""
    loaded = demo_content.load()
    directory.forget()
    return loaded


@pytest.fixture
def new_rules(settings: Any) -> Iterator[Any]:
    """Return a function that restarts the voting service with other voting rules."""

    def restart(**changed: Any) -> None:
        settings.VOTES_PER_DAY = round(86_400 / Rules(**changed).weight)
        settings.VOTING_RULES = Rules(**changed)
        get_voting_service.cache_clear()

    yield restart
    get_voting_service.cache_clear()


@pytest.fixture
def school(settings: Any) -> Iterator[Provider]:
    """A provider with which people can log in."""
    with site_with_provider(settings) as provider:
        yield provider
