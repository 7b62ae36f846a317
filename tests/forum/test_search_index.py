"""Operators rebuild the search texts; upgrades and later migrations keep the search index."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from forum.models import Comment, Post, User
from forum.operations.repair.search_texts import fill_missing
from forum.search import index
from forum.search.parser import parse
from forum.search.queries import Order, find
from tests.forum.comments import add_comment
from tests.forum.factories import post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def count(text: str) -> int:
    """Return how many posts and comments a search finds."""
    query = parse(text, now=timezone.now(), member=False)
    return len(find(query, viewer_id=None, order=Order.DATE).hits)


def rebuild() -> str:
    """Run the `rebuild_search` command, and return what the command prints."""
    output = StringIO()
    call_command("rebuild_search", stdout=output)
    return output.getvalue().strip()


def test_rebuild_corrects_texts_and_hosts(ada: User) -> None:
    written = post(ada, title="A bridge", kind="link", url="https://www.example.org/")
    add_comment(ada, written, "The bridge is long.")
    Post.objects.update(search_text=" a ferry \n  ", host="")
    Comment.objects.update(search_text=" the ferry ")
    assert (count("bridge"), count("ferry"), count("site:example.org")) == (0, 2, 0)
    assert rebuild() == "Checked 2 texts, changed 2."
    assert (count("bridge"), count("ferry"), count("site:example.org")) == (2, 0, 1)
    assert rebuild() == "Checked 2 texts, changed 0."


def test_upgrade_makes_old_posts_searchable(ada: User) -> None:
    written = post(ada, title="A bridge")
    add_comment(ada, written, "The bridge is long.")
    post(ada, title="Another bridge")
    Post.objects.filter(pk=written.pk).update(search_text="")
    Comment.objects.update(search_text="")
    assert count("bridge") == 1
    fill_missing()
    assert count("bridge") == 3


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL keeps indexes by itself")
def test_later_migration_can_create_the_triggers_and_index_again(ada: User) -> None:
    triggers = {f"{table}_search_{name}" for table in index.TABLES for name in index.TRIGGERS}
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        assert {name for (name,) in cursor.fetchall()} == triggers
        for name in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
    written = post(ada, title="A bridge")
    assert count("bridge") == 0
    with connection.schema_editor() as editor:
        index.create(None, editor)
    assert count("bridge") == 1
    written.delete()
    assert count("bridge") == 0
