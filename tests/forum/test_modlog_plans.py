"""On SQLite, the pages of a moderation log with 100,000 actions read only a few rows."""

from collections.abc import Iterable

import pytest
from django.db import connection
from django.test import Client

from forum.models import User
from tests.forum.factories import groups, person, post, reader, set_policy

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="This is not SQLite."),
]
MOST_STEPS = 40
"""How many thousand SQLite instructions a page may take. Reading every action takes more."""
ACTIONS = """
WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 100000)
INSERT INTO forum_modaction (id, kind, by_id, person_id, post_id, parent_id, reason, is_private,
    details, created_at)
SELECT i,
    CASE WHEN i = 1 THEN 'remove_all' WHEN i <= 50000 THEN 'remove' WHEN i % 1000 = 0 THEN 'ban'
        ELSE 'lock' END,
    %s, CASE WHEN i <= 50000 THEN %s ELSE %s END, CASE WHEN i > 1 THEN %s END,
    CASE WHEN i BETWEEN 2 AND 50000 THEN 1 END, 'Spam', false,
    '{"state": "finished", "done": 49999, "total": 49999}', '2026-01-01 00:00:00'
FROM numbers
"""
"""SQL that writes 100,000 actions.

Half of the actions are parts of one bulk removal.
"""
PLACES = """
INSERT INTO forum_logplace (action_id, group_id, kind, by_id)
SELECT id, %s, kind, by_id FROM forum_modaction WHERE parent_id IS NULL
"""
PAGES = [
    *("", "?before=70000", "/1", "/1?before=20000", "/70000", "?group=books", "?group=maths"),
    *("?group=books&kind=ban", "?group=books&kind=warn", "?group=books&moderator=stan"),
    *("?kind=ban", "?kind=warn", "?kind=ban&before=70000", "?person=bob", "?person=bob&kind=ban"),
    *("?moderator=stella", "?moderator=stan", "?moderator=stella&kind=warn"),
]


@pytest.fixture
def long_log(ada: User, bob: User) -> None:
    """Write a moderation log of 100,000 actions."""
    stella = person("stella", is_staff=True)
    person("stan", is_staff=True)
    (books, _maths), written = groups("books", "maths"), post(ada)
    set_policy(names_moderators=True)
    with connection.cursor() as cursor:
        cursor.execute(ACTIONS, [stella.pk, bob.pk, ada.pk, written.pk])
        cursor.execute(PLACES, [books.pk])


def steps_of(client: Client, addresses: Iterable[str]) -> dict[str, int]:
    """Return how many SQLite instructions each page takes, in thousands."""
    found = dict.fromkeys(addresses, 0)
    for address in found:

        def count(address: str = address) -> None:
            found[address] += 1

        connection.connection.set_progress_handler(count, 1_000)
        try:
            assert client.get(address).status_code == 200, address
        finally:
            connection.connection.set_progress_handler(None, 0)
    return found


@pytest.mark.usefixtures("long_log")
@pytest.mark.long
def test_page_takes_few_steps() -> None:
    found = steps_of(reader(), [f"/modlog{query}" for query in PAGES])
    assert max(found.values()) <= MOST_STEPS, found


@pytest.mark.usefixtures("long_log")
def test_record_of_a_person_takes_few_steps() -> None:
    """Ada and Bob each have 50,000 actions on record; Bob's are all parts of one bulk removal."""
    window = reader(User.objects.get(username="stella"))
    found = steps_of(window, [f"/moderation/people/{name}" for name in ("ada", "bob", "stan")])
    assert max(found.values()) <= MOST_STEPS, found
