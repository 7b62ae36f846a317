"""Finds words on PostgreSQL, with trigram indexes.

PostgreSQL itself chooses between the trigram index, other indexes, and reading the newest rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from django.db.models import Q

from forum.errors import SearchTooSlow
from forum.models import Post
from forum.search.conditions import Query

CANCELED = "57014"
"""PostgreSQL's code for a statement that took too long."""


def candidates(_query: Query, _table: str) -> Q:
    """Return no condition: PostgreSQL finds the rows by the query's conditions."""
    return Q()


def newest_posts(pattern: str, most: int) -> list[int]:
    """Return the ids of the newest posts with words, even of deleted posts. One query."""
    found = Post.objects.filter(search_text__contains=pattern).order_by("-pk")
    return list(found.values_list("pk", flat=True)[:most])


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop SQL statements that take longer. Raises SearchTooSlow. One query."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == CANCELED:
            raise SearchTooSlow from error
        raise
