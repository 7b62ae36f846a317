"""What has changed in SQLite since a copy of it was made, found by SQLite itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, models

from forum.models import ArchivedVote, Comment, Post, User

BEFORE = "before"
"""What SQLite calls the copy."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Rows of a table: the primary key of each, and what else was asked for."""

    now: list[tuple[Any, ...]]
    """Those that are new or other than before."""
    gone: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Differing:
    """What Redis must be told."""

    posts: list[int]
    comments: list[int]
    voted: list[tuple[int, int]]
    """Person and post, of votes on posts."""


@contextmanager
def beside(copy: Path) -> Iterator[None]:
    """Have the copy beside the site's own SQLite; outside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"ATTACH DATABASE %s AS {BEFORE}", [str(copy)])
        try:
            yield
        finally:
            cursor.execute(f"DETACH DATABASE {BEFORE}")


def changed(model: type[models.Model], *more: str) -> Changed:
    """Return the rows that differ, with `more` columns of each. Both tables are read once."""
    name = connection.ops.quote_name
    table, key = name(model._meta.db_table), name(_column(model._meta.pk))
    ours, theirs = (
        ", ".join(f"{side}.{name(_column(field))}" for field in model._meta.local_concrete_fields)
        for side in ("one", "other")
    )
    wanted = ", ".join(f"one.{column}" for column in (key, *map(name, more)))
    sides = f"FROM %s.{table} one LEFT JOIN %s.{table} other USING ({key}) WHERE "
    joined = f"SELECT {wanted} {sides}"
    # The other's key is only null where it has no such row: in a key SQLite would allow it.
    missing = f"other.{key} IS NULL"
    with connection.cursor() as cursor:
        cursor.execute(joined % ("main", BEFORE) + f"{missing} OR ({ours}) IS NOT ({theirs})")
        now = cursor.fetchall()
        cursor.execute(joined % (BEFORE, "main") + missing)
        return Changed(now, cursor.fetchall())


def targets() -> Differing:
    """Return the posts and comments of which Redis holds something else by now, and who voted."""
    posts = {pk for (pk,) in _either(changed(Post))}
    posts |= {post_id for _pk, post_id in _either(changed(Post.groups.through, "post_id"))}
    comments = {pk for (pk,) in _either(changed(Comment))}
    votes = _either(changed(ArchivedVote, "user_id", "post_id", "comment_id"))
    posts.update(post_id for *_, post_id, comment_id in votes if not comment_id)
    comments.update(comment_id for *_, comment_id in votes if comment_id)
    renamed = _renamed()
    posts.update(Post.objects.filter(author__in=renamed).values_list("pk", flat=True))
    comments.update(Comment.objects.filter(author__in=renamed).values_list("pk", flat=True))
    voted = sorted((user_id, post_id) for _pk, user_id, post_id, on in votes if not on)
    return Differing(sorted(posts), sorted(comments), voted)


def _renamed() -> list[int]:
    """Return the people who have another name than before."""
    table = User._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT one.id FROM main.{table} one JOIN {BEFORE}.{table} other USING (id)"  # noqa: S608
            " WHERE one.username <> other.username"
        )
        return [pk for (pk,) in cursor.fetchall()]


def _either(found: Changed) -> list[tuple[Any, ...]]:
    return [*found.now, *found.gone]


def _column(field: models.Field[Any, Any]) -> str:
    return str(field.column)
