"""Query plans on SQLite: while Redis is down, pages and the worker use indexes."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from forum.actions import mail_queue
from forum.ledger.counters import MovedPostSync
from forum.models import DailyViews, GroupModerator, Post, User
from forum.store import outbox
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="This is not SQLite."),
]

SMALL = {"forum_group", "forum_groupalias", "forum_groupmoderator", "forum_pin", "subquery"}
PAGES = [
    *("/", "/?p=2", "/g/books/", "/g/books+maths/", "/g/books&maths/", "/g/books~maths/", "/g/"),
    *("/p/{post}/one", "/p/{post}/comments", "/p/{post}/c/{comment}", "/p/{post}/history"),
    *("/comments", "/comments?before=9", "/u/ada/", "/u/ADA/", "/u/ada/comments", "/u/ada/fans"),
    *("/u/ada/follows", "/u/ada/saved", "/u/ada/hidden", "/u/ada/liked", "/u/ada/activity"),
    *("/invitations?before=9", "/invitations/tree?before=9", "/u/ada/invited?before=9"),
    *("/invitations", "/invitations/tree", "/u/ada/invited", "/g/books/moderators"),
    *(
        "/inbox",
        "/inbox?kind=reply",
        "/flags",
        "/following",
        "/leaders",
        "/leaders?t=week&group=books",
    ),
    *("/conversations", "/conversations?before=9", "/conversations/actions"),
    *("/unread", "/unanswered", "/missed"),
]
PAGES_OF_MODERATORS = [
    *("/moderation/people/ada", "/moderation/people/ada?before=9"),
    *("/moderation/conversations", "/moderation/conversations?state=&before=9"),
    "/moderation/conversations?group=books",
    "/moderation/conversations?state=&group=books",
]


@pytest.fixture
def written(ada: User) -> Post:
    made = post(ada, "One", slugs="books")
    post(ada, "Two", slugs="maths")
    add_comment(ada, made)
    return made


def complaints(queries: list[tuple[str, Any]]) -> list[str]:
    """Return the queries that scan a whole table."""
    found = []
    for sql, params in queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
            steps = [step for *_, step in cursor.fetchall()]
        sorts = any("TEMP B-TREE FOR ORDER BY" in step for step in steps)
        for step in steps:
            scan = re.fullmatch(r"SCAN (\w+)( USING .*)?", step)
            if scan and scan[1] not in SMALL and (sorts or not (scan[2] or "LIMIT" in sql)):
                found.append(f"{step}: {sql}")
    return found


def queries_of(work: Callable[[], Any]) -> list[tuple[str, Any]]:
    """Return the SELECT queries that a function makes."""
    queries: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT"):
            queries.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        work()
    assert queries
    return queries


@pytest.mark.parametrize("path", PAGES)
def test_pages_use_indexes(ada: User, written: Post, settings: Any, path: str) -> None:
    window: Client = reader(ada)
    comment = written.comments.get()
    address = path.format(post=written.pk, comment=comment.pk)
    with redis_down(settings):
        queries = queries_of(lambda: window.get(address))
    assert not complaints(queries)


@pytest.mark.parametrize("path", PAGES_OF_MODERATORS)
@pytest.mark.parametrize("is_staff", [True, False], ids=["of the site", "of a group"])
def test_pages_of_moderators_use_indexes(
    written: Post, settings: Any, path: str, is_staff: bool
) -> None:
    moderator = person("moderator", is_staff=is_staff)
    GroupModerator.objects.create(group=written.groups.get(), user=moderator)
    window = reader(moderator)
    with redis_down(settings):
        queries = queries_of(lambda: window.get(path))
    assert not complaints(queries)


MOVED = MovedPostSync(1, ["books", "maths"])
WORK: dict[str, Callable[[], Any]] = {
    "the outbox": outbox.repeat,
    "background sync": partial(outbox.repeat, in_background=True),
    "due digests": mail_queue.enqueue_digests,
    "boards of a post that moved": lambda: MovedPostSync.deliver(
        [MovedPostSync(1, ["books", "maths"])]
    ),
    "views of a day": lambda: list(DailyViews.objects.filter(day="2026-01-01")),
    "the points from the end": lambda: list(Post.objects.order_by("views", "pk")[:25]),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_worker_uses_indexes(written: Post, work: Callable[[], Any]) -> None:
    assert not complaints(queries_of(work))
