"""Finds words on SQLite, with full-text tables (FTS5) of trigrams: three characters in a row.

The tables don't store the positions of trigrams in a text. With 1,000,000 comments this makes the
tables 3.4 times smaller (190 MB), and searches up to three times faster. But without positions, the
tables can only find candidates: posts or comments that contain the rarest trigrams of the words.
Then all conditions, including the words, are checked on each candidate.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic

from django.db import OperationalError, connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from forum.errors import SearchTooSlow
from forum.models import Comment, Post
from forum.queries.prepared import text_blank
from forum.search.candidates import (
    RAREST,
    Candidates,
    patterns,
    rarest,
    trigrams,
    word_clauses,
)
from forum.search.conditions import Query

CHECKED = 5_000
"""How many of the newest candidates are checked."""
STEPS = 10_000
"""How many of SQLite's instructions run between two looks at the clock: less than 1 ms."""

NEWEST = (
    "SELECT count(*), json_group_array(rowid) FROM (SELECT rowid FROM {table}_search"
    " WHERE {table}_search MATCH %s ORDER BY rowid DESC LIMIT %s)"
)
"""The ids as JSON, because loading each into Python would take longer than finding it."""
AGES = (
    "SELECT value, (SELECT rowid FROM {table}_search WHERE {table}_search MATCH"
    """ '"' || replace(value, '"', '""') || '"' ORDER BY rowid DESC LIMIT 1 OFFSET 100)"""
    " FROM json_each(%s)"
)
"""For each trigram, the 100th newest row that has it: the older, the rarer is the trigram."""
IDS = text_blank("ids")
AMONG_NEWEST = Q(pk__in=RawSQL("SELECT value FROM json_each(%s)", (IDS,)))
"""The condition of the rows whose ids are in JSON."""


def candidates(query: Query, model: type[Post | Comment], _viewer_id: int) -> Iterator[Candidates]:
    """Yield the rows that a search has to check (its candidates)."""
    clauses = [*map(patterns, word_clauses(query))]
    if not clauses:
        yield Candidates()
        return
    number, found = _newest(clauses, model._meta.db_table, CHECKED)
    yield Candidates(AMONG_NEWEST, complete=number < CHECKED, values={IDS: found})


def newest_posts(pattern: str, most: int) -> list[int]:
    """Return the ids of the newest posts that contain the trigrams of a pattern.

    Includes deleted posts.
    """
    _number, found = _newest([[pattern]], Post._meta.db_table, most)
    ids: list[int] = json.loads(found)
    return ids


def _newest(clauses: Sequence[Sequence[str]], table: str, most: int) -> tuple[int, str]:
    """Find the newest rows that contain the rarest trigrams of a search.

    Returns the number of these rows, and the ids of the rows as JSON.
    """
    with connection.cursor() as cursor:
        cursor.execute(NEWEST.format(table=table), [_trigrams(clauses, table), most])
        number, ids = cursor.fetchone()
        return number, ids


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop SQL statements that still run after `seconds`. Raises SearchTooSlow."""
    connection.ensure_connection()
    deadline = monotonic() + seconds
    raw = connection.connection
    raw.set_progress_handler(lambda: monotonic() > deadline, STEPS)
    try:
        yield
    except OperationalError as error:
        if monotonic() > deadline:
            raise SearchTooSlow from error
        raise
    finally:
        raw.set_progress_handler(None, 0)


def _trigrams(clauses: Sequence[Sequence[str]], table: str) -> str:
    """Return an FTS5 condition with the rarest trigrams of the searched words."""
    found = rarest(clauses, trigrams, partial(_ages, table))
    return " AND ".join(f"({' OR '.join(map(_all, clause))})" for clause in found)


def _all(some: Iterable[str]) -> str:
    quoted = (trigram.replace('"', '""') for trigram in some)
    return " AND ".join(f'"{trigram}"' for trigram in quoted)


def _ages(table: str, some: Sequence[str]) -> dict[str, int]:
    """Map each trigram to the id of the 100th newest row that contains it.

    The id is 0 if fewer rows contain the trigram. If there are at most `RAREST` trigrams, the ids
    aren't needed, so it returns {} without a query.
    """
    if len(some) <= RAREST:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(AGES.format(table=table), [json.dumps(some)])
        return {trigram: pk or 0 for trigram, pk in cursor}
