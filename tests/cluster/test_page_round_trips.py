"""How often whole pages wait for a cluster, as members open them, and what a vote in them takes."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from forum.models import Post
from forum.store import voting
from tests.cluster.lines import Line
from tests.cluster.nodes import Cluster
from tests.cluster.test_round_trips import MOST
from tests.forum import cast, talk
from tests.forum.cast import PASSWORD, person, reader
from tests.forum.test_costs import COSTS, live

pytestmark = [pytest.mark.cluster, pytest.mark.django_db(transaction=True)]
LISTS = (
    *("/", "/new", "/new?dir=asc", "/active", "/views", "/views?dir=asc"),
    *("/top?t=day", "/top?t=week", "/top?t=month", "/top?t=all", "/top?t=all&dir=asc"),
    *("/g/books/", "/g/books/new", "/g/books/active", "/g/books/top?t=week", "/g/"),
    *("/g/books+maths/", "/g/books&maths/", "/g/books~maths/", "/g/books~maths/top?t=all"),
)
THREADS = ("", "?sort=top", "?sort=new", "?sort=old", "?sort=controversial")


@pytest.fixture
def site(shared: Cluster, settings: Any) -> Iterator[None]:
    """A site whose votes are on a cluster, open and empty."""
    settings.REDIS_URL = shared.url
    voting.cache_clear()
    voting().upkeep.wipe()
    voting().upkeep.open_store()
    yield
    voting.cache_clear()


@pytest.fixture
def written(site: None) -> Post:
    """One of many posts, on which Bob has said something."""
    ada, bob = person("ada"), person("bob")
    made = live(ada, bob, 6)
    cast.post(ada, "Sums", slugs="books maths")
    talk.say(bob, made, "So it is.")
    return made


@pytest.fixture
def bob(written: Post) -> Client:
    """Bob's browser."""
    window = reader()
    window.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    return window


def trips(line: Line, window: Client, path: str) -> int:
    """Return how often a page that was opened before waits for the cluster."""
    window.get(path)
    with line.counting():
        assert window.get(path).status_code == 200, path
    return line.round_trips


def test_lists_and_threads_wait_three_times_at_most(line: Line, bob: Client, written: Post) -> None:
    thread = written.get_absolute_url()
    pages = [*LISTS, *(thread + sort for sort in THREADS), f"/p/{written.pk}/comments", "/comments"]
    for window in (bob, reader()):
        found = {path: trips(line, window, path) for path in pages}
        assert {path: count for path, count in found.items() if count > MOST} == {}
        assert found["/"] == 2, "ids, then rows with what else is asked"


def test_no_page_waits_more_than_once_more_than_for_one_server(
    line: Line, bob: Client, written: Post
) -> None:
    """Those of people ask one thing after another, and take more than lists on either."""
    places = {"thread": written.get_absolute_url(), "newest": f"/p/{written.pk}/comments"}
    found = {page: trips(line, bob, places.get(page, page)) for page in COSTS}
    assert {page: n for page, n in found.items() if n > COSTS[page][0] + 1} == {}


def test_a_pressed_arrow_waits_three_times_and_the_row_that_comes_back_is_one_more(
    line: Line, bob: Client, written: Post
) -> None:
    """A limited vote: the person's window, the post, its place in the rankings."""
    comment = written.comments.latest("pk")
    for path in (f"/p/{written.pk}/vote", f"/p/{written.pk}/c/{comment.pk}/vote"):
        for headers, most in (({}, MOST), ({"X-Fragment": "1"}, MOST + 1)):
            for vote in ("down", "up", "none"):
                with line.counting():
                    sent = bob.post(path, {"vote": vote}, headers=headers)
                assert sent.status_code == (200 if headers else 303)
            assert line.round_trips <= most, path
