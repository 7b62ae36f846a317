"""Finds words on SQLite, with full-text tables (FTS5) of trigrams.

Measured with 1,000,000 comments: the full-text table returns the newest rows with a word in 1 to
40 ms. It can't combine that with other conditions, so these are checked on its newest rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from django.db import OperationalError, connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from forum.errors import SearchTooSlow
from forum.search.conditions import OWN, Author, Clause, Condition, Is, Place, Query, Words

CHECKED = 20_000
"""How many of the newest rows with the words are checked for the other conditions."""
UNCHECKED = 2_000
"""How many rows are read if there are no other conditions. Some may be deleted."""
NEWEST_POSTS = (
    "SELECT rowid FROM forum_post_search WHERE forum_post_search MATCH %s"
    " ORDER BY rowid DESC LIMIT %s"
)
STEPS = 10_000
"""How many of SQLite's instructions run between two looks at the clock: less than 1 ms."""


def split(query: Query, table: str) -> tuple[Q, Query]:
    """Return the condition that the full-text table checks, and the rest of the query.

    A search for what a certain person wrote, saved or liked doesn't use the full-text table,
    because few of the newest rows may be theirs.
    """
    clauses = [clause for clause in query.clauses if _is_text(clause)]
    if not clauses or any(map(_is_personal, query.clauses)):
        return Q(), query
    text = " AND ".join(f"({' OR '.join(map(_words, clause))})" for clause in clauses)
    unwanted = [clause for clause in query.clauses if _is_unwanted_word(clause)]
    for clause in unwanted:
        text = f"({text}) NOT {_words(clause[0])}"
    done = {*unwanted, *filter(_is_anywhere, clauses)}
    rest = Query(tuple(clause for clause in query.clauses if clause not in done))
    rows = CHECKED if rest.clauses else UNCHECKED
    sql = (
        f"SELECT rowid FROM {table}_search WHERE {table}_search MATCH %s"  # noqa: S608
        f" ORDER BY rowid DESC LIMIT {rows}"
    )
    return Q(pk__in=RawSQL(sql, (text,))), rest  # noqa: S611


def newest_posts(pattern: str, most: int) -> list[int]:
    """Return the ids of the newest posts with words, even of deleted posts. One query."""
    with connection.cursor() as cursor:
        cursor.execute(NEWEST_POSTS, [_quoted(pattern), most])
        return [pk for (pk,) in cursor]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop SQL statements that take longer. Raises SearchTooSlow."""
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


def _is_text(clause: Clause) -> bool:
    return all(isinstance(one.asked, Words) and not one.negated for one in clause)


def _is_anywhere(clause: Clause) -> bool:
    return all(isinstance(one.asked, Words) and one.asked.place is Place.ANYWHERE for one in clause)


def _is_unwanted_word(clause: Clause) -> bool:
    return len(clause) == 1 and clause[0].negated and _is_anywhere(clause)


def _is_personal(clause: Clause) -> bool:
    if len(clause) > 1 or clause[0].negated:
        return False
    asked = clause[0].asked
    return isinstance(asked, Author) or (isinstance(asked, Is) and asked.trait in OWN)


def _words(condition: Condition) -> str:
    return _quoted(condition.asked.pattern if isinstance(condition.asked, Words) else "")


def _quoted(pattern: str) -> str:
    """Return words as a string of FTS5."""
    return '"' + pattern.replace('"', '""') + '"'
