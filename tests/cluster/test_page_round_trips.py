"""The number of round trips to a cluster for each page, and for a vote."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from forum.actions import following, marks
from forum.models import Group, Post, User
from forum.queries.groups import directory
from forum.store.service import get_voting_service
from tests.cluster.nodes import Cluster
from tests.cluster.test_round_trips import MOST
from tests.cluster.turns import Line
from tests.forum import comments, factories
from tests.forum.factories import PASSWORD, person, reader
from tests.forum.test_costs import COSTS, add_content, places

pytestmark = [pytest.mark.cluster, pytest.mark.django_db(transaction=True)]
LISTS = (
    *("/", "/new", "/new?dir=asc", "/active", "/views", "/views?dir=asc"),
    *("/top?t=day", "/top?t=week", "/top?t=month", "/top?t=all", "/top?t=all&dir=asc"),
    *("/g/books/", "/g/books/new", "/g/books/active", "/g/books/top?t=week", "/g/"),
    *("/g/books+maths/", "/g/books&maths/", "/g/books~maths/", "/g/books~maths/top?t=all"),
)
PEOPLE = {
    "/u/ada/": 2,
    "/u/ada/comments": 1,
    "/u/ada/fans": 2,
    "/u/bob/saved": 2,
    "/u/bob/hidden": 3,
    "/history": 2,
    "/following": 3,
    "/inbox": 1,
    "/leaders": 2,
}
"""Often opened pages, mostly about a person, with their exact number of round trips."""
FOR_ALL = (
    *("newest", "comment", "/comments", "/leaders", "/leaders?t=week", "/about"),
    *("/u/ada/", "/u/ada/comments", "/u/ada/follows", "/u/ada/fans"),
)
"""Other pages that guests may see."""
THREADS = ("", "?sort=top", "?sort=new", "?sort=old", "?sort=controversial")


@pytest.fixture
def site(shared: Cluster, settings: Any) -> Iterator[None]:
    """An empty site whose votes are on a cluster."""
    settings.REDIS_URL = shared.url
    get_voting_service.cache_clear()
    get_voting_service().maintenance.generations.wipe()
    get_voting_service().maintenance.generations.open()
    yield
    get_voting_service.cache_clear()


@pytest.fixture
def written(site: None) -> Post:
    """A post with a comment by Bob, on a site with more posts."""
    ada, bob = person("ada"), person("bob")
    made = add_content(ada, bob, 6)
    factories.post(ada, "Sums", slugs="books maths")
    comments.add_comment(bob, made, "So it is.")
    return made


@pytest.fixture
def bob(written: Post) -> Client:
    """A browser in which Bob is logged in."""
    window = reader()
    window.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    return window


def trips(line: Line, window: Client, path: str) -> int:
    """Open a page twice, and return the number of round trips of the second time."""
    directory.forget()  # so that the cached groups don't expire during the count
    window.get(path)
    with line.counting():
        assert window.get(path).status_code == 200, path
    return line.round_trips


def waits(line: Line, window: Client, pages: Iterable[str]) -> dict[str, int]:
    """Find the pages that take more than `MOST` round trips."""
    found = {path: trips(line, window, path) for path in pages}
    return {path: count for path, count in found.items() if count > MOST}


def test_lists_and_threads_take_at_most_three_round_trips(
    line: Line, bob: Client, written: Post
) -> None:
    thread = written.get_absolute_url()
    pages = [*LISTS, *(thread + sort for sort in THREADS)]
    for window in (bob, reader()):
        assert waits(line, window, pages) == {}
        assert trips(line, window, "/") == 2, "ids, then rows with what else is asked"


def test_all_other_pages_take_at_most_three_round_trips(
    line: Line, bob: Client, written: Post
) -> None:
    paths = places(written, User.objects.get(username="bob"))
    assert waits(line, bob, (paths.get(page, page) for page in COSTS)) == {}
    assert waits(line, reader(), (paths.get(page, page) for page in FOR_ALL)) == {}
    found = {page: trips(line, bob, page) for page in PEOPLE}
    assert found == PEOPLE


def test_many_hidden_rows_take_no_more_round_trips(
    line: Line, bob: Client, written: Post, settings: Any
) -> None:
    settings.PAGE_SIZE = 3
    settings.VOTING_RULES = replace(settings.VOTING_RULES, page_size=3)
    get_voting_service.cache_clear()
    who = User.objects.get(username="bob")
    for one in Post.objects.exclude(author=who).order_by("-pk")[:4]:
        marks.hide(who, one, on=True)
    pages = {page: trips(line, bob, page) for page in ("/", "/new", "/g/books/new", "/following")}
    assert pages == {"/": 2, "/new": 2, "/g/books/new": 2, "/following": MOST}
    following.hide_group(who, Group.objects.get(slug="maths"), True)
    assert {page: trips(line, bob, page) for page in pages} == pages


def test_vote_takes_three_round_trips_with_and_without_its_row(
    line: Line, bob: Client, written: Post
) -> None:
    """Checking the rate limit, voting and updating the rankings take one round trip each."""
    comment = written.comments.latest("pk")
    for path in (f"/p/{written.pk}/vote", f"/p/{written.pk}/c/{comment.pk}/vote"):
        for headers in ({}, {"X-Fragment": "1"}):
            for vote in ("down", "up", "none"):
                with line.counting():
                    sent = bob.post(path, {"vote": vote}, headers=headers)
                assert sent.status_code == (200 if headers else 303)
            assert line.round_trips <= MOST, path
