"""With 100,000 items, the pages of the moderation queue use indexes and read only a few rows."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import Model

from forum.models import Flag, ModAction, QueueItem, User
from forum.moderation.flags.services import flag
from tests.forum.factories import groups, person, post, reader
from tests.postgresql.plans import watched

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
MANY = 100_000
FIRST = 1_000_000
"""Copied rows have ids above this number, which no row of an earlier test has."""
MOST = 40_000
"""How many SQLite virtual machine steps a page may take. Reading all items would take millions."""
MOST_ROWS = 500
"""Rows that PostgreSQL may read from a large table for one query."""
PAGES = [
    *("/moderation", "/moderation?kind=held", "/moderation?kind=flagged&after=2.5_1060000"),
    *("/moderation?group=books", "/moderation?state=decided"),
    "/moderation?state=decided&group=books&kind=flagged",
]
OF_SITE = [*PAGES, "/moderation?kind=person", "/moderation?kind=person&state=decided"]
"""The pages that site moderators see. Unlike group moderators, they also see flagged people."""


def copy_row(row: Model, many: int, **columns: str) -> None:
    """Insert `many` copies of a row into its table.

    `columns` maps each column that differs between copies to an SQL expression, in which `n` is the
    number of the copy.
    """
    table = row._meta.db_table
    names = [str(field.column) for field in row._meta.concrete_fields]
    values = [columns.get(name, name) for name in names]
    with connection.cursor() as cursor:
        # Without MATERIALIZED, PostgreSQL may read the whole growing table for each copy.
        cursor.execute(
            f"WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies"
            f" WHERE n < {many}), original AS MATERIALIZED"
            f" (SELECT * FROM {table} WHERE id = {row.pk})"
            f" INSERT INTO {table} ({', '.join(names)})"
            f" SELECT {', '.join(values)} FROM original, copies"
        )


@pytest.fixture
def stella(ada: User, bob: User) -> User:
    """A moderator of a site with 100,000 queue items."""
    books, maths = groups("books", "maths")
    written = post(ada, slugs="maths")
    item = flag(written, by=bob, kind=Flag.Kind.SPAM)
    action = ModAction.objects.create(kind="dismiss", by=ada)
    copy_row(written, MANY, id=f"{FIRST} + n")
    weight, decided = "(n % 50) / 10.0", "CASE WHEN n % 2 = 1 THEN CURRENT_TIMESTAMP END"
    copy_row(
        item,
        MANY,
        id=f"{FIRST} + n",
        post_id=f"{FIRST} + n",
        kind="CASE WHEN n % 1000 < 2 THEN 'person' ELSE kind END",
        weight=weight,
        group_weight=weight,
        decided_at=decided,
        decision_id=f"CASE WHEN n % 2 = 1 THEN {action.pk} END",
    )
    copy_row(
        item.places.get(),
        MANY,
        id=f"{FIRST} + n",
        item_id=f"{FIRST} + n",
        group_id=f"CASE WHEN n % 1000 < 20 THEN {books.pk} ELSE {maths.pk} END",
        weight=weight,
        decided_at=decided,
    )
    assert QueueItem.objects.count() == MANY + 1
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    return person("stella", is_staff=True)


def steps_of(work: Callable[[], Any]) -> int:
    """Return how many SQLite virtual machine steps `work` takes, rounded down to hundreds."""
    taken = [0]

    def count() -> int:
        taken[0] += 100
        return 0

    connection.connection.set_progress_handler(count, 100)
    try:
        answer = work()
    finally:
        connection.connection.set_progress_handler(None, 0)
    assert answer.status_code == 200
    assert b"queue-entry" in answer.content or b"queue is empty" in answer.content
    return taken[0]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite counts its steps.")
@pytest.mark.long
def test_pages_of_the_queue_take_few_steps(stella: User, gus: User) -> None:
    steps = {}
    for user, pages in ((stella, OF_SITE), (gus, PAGES)):
        window = reader(user)
        window.get("/moderation")
        for path in pages:
            cache.delete(f"queue:{user.pk}")
            steps[user.username, path] = steps_of(partial(window.get, path))
    assert {page: taken for page, taken in steps.items() if taken > MOST} == {}


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="PostgreSQL explains its plans.")
def test_pages_of_the_queue_read_few_rows(stella: User, gus: User) -> None:
    for user, pages in ((stella, OF_SITE), (gus, PAGES)):
        window = reader(user)
        for path in pages:
            cache.delete(f"queue:{user.pk}")
            with watched(MOST_ROWS) as watcher:
                assert window.get(path).status_code == 200
            assert watcher.asked
            assert not watcher.complaints
