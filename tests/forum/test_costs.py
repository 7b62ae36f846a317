"""The exact cost of each page: round trips to the voting store, cache reads, and SQL queries."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from forum.actions import following, marks
from forum.ledger.archiver import archive_rest
from forum.models import Group, OutboxItem, Post, User
from forum.queries.groups import directory
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, vote
from tests.forum.factories import PASSWORD, groups, person, post, reader
from tests.forum.round_trips import counted_round_trips
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
FEW, MANY = 2, 6
SESSION = 1
"""Each member's page reads the cache once, to load the session and the viewer together."""
SIMILAR = {"thread": 1}
"""How often a page also reads the cache, for the ids of similar posts."""
COSTS = {
    "/": (1, 0),
    "/new": (1, 0),
    "/g/": (3, 0),
    "/g/books/": (1, 0),
    "thread": (1, 4),
    "newest": (2, 1),
    "comment": (2, 4),
    "/comments": (1, 1),
    "/following": (2, 3),
    "/following?p=1": (2, 0),
    "/u/ada/": (2, 5),
    "/u/ada/comments": (1, 4),
    "/u/ada/follows": (3, 4),
    "/u/ada/fans": (2, 4),
    "/u/bob/": (1, 2),
    "/u/bob/liked": (2, 1),
    "/u/bob/saved": (2, 1),
    "/u/bob/hidden": (3, 1),
    "/u/bob/activity": (2, 2),
    "/u/bob/about": (1, 2),
    "/history": (2, 1),
    "/unread": (1, 0),
    "/unanswered": (2, 1),
    "/missed": (2, 1),
    "/inbox": (1, 3),
    "/conversations": (1, 2),
    "/conversations/actions": (1, 3),
    "/conversations/write": (1, 2),
    "/leaders": (2, 2),
    "/leaders?t=week": (2, 2),
    "/submit": (1, 2),
    "/submit/known?title=post+1": (1, 5 + 3 * (connection.vendor == "postgresql")),
    "/preferences": (1, 4),
    "/preferences/mutes": (1, 2),
    "/preferences/tokens": (1, 2),
    "/preferences/feeds": (1, 2),
    "/accounts/email/": (1, 2),
    "/accounts/2fa/": (1, 4),
    "/site/example.org/": (2, 1),
    "day": (2, 5),
    "week": (1, 2),
    "/about": (1, 1),
    "/display": (1, 0),
    "/search": (1, 1),
    "/search?q=post": (2, 8 + 3 * (connection.vendor == "postgresql")),
    "/modlog": (1, 1),
    "edit a post": (1, 3),
    "write a comment": (1, 3),
    "edit a comment": (1, 2),
}
"""For each page: the number of round trips to voting, and the number of SQL queries.

A thread needs one of its queries only if the viewer has unread items. On PostgreSQL, a search sets
a time limit in a transaction.
"""


def add_content(ada: User, bob: User, times: int) -> Post:
    """Run `times` rounds that add posts, comments, votes, follows and saves; return Ada's post."""
    groups("books")
    for number in range(times):
        one = person(f"p{times}-{number}")
        theirs, written = post(one), post(ada, f"Post {number} of {times}")
        vote(bob, add_comment(one, written, "To @bob."), Vote.UP)
        get_voting_service().votes.cast(one.pk, Target(written.pk), Vote.UP)
        for follower, followed in ((one, ada), (ada, one), (bob, one), (one, bob), (bob, ada)):
            following.set_follow(follower, followed, on=True)
        following.set_follow(bob, Group.objects.get(), on=True)
        marks.save(bob, theirs, on=True)
        following.set_follow(one, person(f"q{times}-{number}"), on=True)
        marks.hide(bob, post(one), on=True)
        reader(bob).get(written.get_absolute_url())
    post(bob)
    post(bob, kind="question")
    post(bob, kind="link", url=f"https://example.org/{times}")
    add_comment(bob, written)
    archive_rest(get_voting_service().maintenance.generations.current())
    return written


def places(written: Post, bob: User) -> dict[str, str]:
    """Return the addresses of a post's pages, and of the forms that edit Bob's post and comment."""
    today = written.created_at.date()
    comment, own = written.comments.filter(author=bob).latest("pk"), bob.posts.latest("pk")
    return {
        "thread": written.get_absolute_url(),
        "newest": f"/p/{written.pk}/comments",
        "day": f"/day/{today}",
        "week": f"/week/{today:%G-W%V}",
        "comment": comment.get_absolute_url(),
        "edit a post": f"/p/{own.pk}/edit",
        "write a comment": f"/p/{written.pk}/comment",
        "edit a comment": f"{comment.get_absolute_url()}/edit",
    }


def costs(window: Client, paths: dict[str, str], settings: Any) -> dict[str, tuple[int, int, int]]:
    """Return how many voting round trips, cache reads and SQL queries each page takes."""
    found = {}
    with counted_round_trips(settings) as (to_voting, to_cache):
        for page, path in paths.items():
            directory.forget()  # so that the cached groups don't expire during the count
            window.get(path)
            with to_voting.counting(), to_cache.counting():
                with CaptureQueriesContext(connection) as queries:
                    assert window.get(path).status_code == 200
                found[page] = (to_voting.round_trips, to_cache.round_trips, len(queries))
    return found


def test_cost_of_a_members_page_is_independent_of_content(
    ada: User, bob: User, settings: Any
) -> None:
    window = reader()
    window.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    for times in (FEW, MANY):
        written = add_content(ada, bob, times)
        paths = places(written, bob)
        found = costs(window, {page: paths.get(page, page) for page in COSTS}, settings)
        expected = {
            page: (trips, SESSION + SIMILAR.get(page, 0), queries)
            for page, (trips, queries) in COSTS.items()
        }
        assert found == expected


def test_writing_takes_constant_queries_and_syncs_everything(ada: User, bob: User) -> None:
    """The numbers include the queries that write and delete outbox rows (pending syncs)."""
    written = post(ada)
    add_comment(bob, written)
    saved = iter([True, False, True])
    found = {}
    writes: dict[str, Callable[[], object]] = {
        "a comment that is noticed": lambda: add_comment(bob, written),
        "a comment on one's own post": lambda: add_comment(ada, written),
        "a post": lambda: post(ada),
        "a saved post": lambda: marks.save(bob, written, on=next(saved)),
    }
    for name, write in writes.items():
        write()
        with CaptureQueriesContext(connection) as queries:
            write()
        found[name] = len(queries)
    assert found == {
        "a comment that is noticed": 21,
        "a comment on one's own post": 20,
        "a post": 17,
        "a saved post": 11,
    }
    assert not OutboxItem.objects.filter(in_background=False).exists()
