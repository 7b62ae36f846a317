"""Reads large tables in batches.

No query result stays open between two batches. On SQLite, a connection with an open result can't
write after another connection has written ("database is locked").
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db.models import QuerySet

PIECE = 500
"""The number of rows, or other items, in one batch."""

Thing = TypeVar("Thing")


def each(found: QuerySet[Any, Any], *fields: str) -> Iterator[tuple[Any, ...]]:
    """Yield the primary key and the named `fields` of each row, ordered by primary key.

    One query per 500 rows.
    """
    rows = found.order_by("pk").values_list("pk", *fields)
    piece = list(rows.filter(pk__gt=0)[:PIECE])
    yield from piece
    while len(piece) == PIECE:
        piece = list(rows.filter(pk__gt=piece[-1][0])[:PIECE])
        yield from piece


def each_pk(found: QuerySet[Any, Any]) -> Iterator[int]:
    """Yield the primary key of each row, lowest first. One query per 500 rows."""
    return (pk for (pk,) in each(found))


def once(things: Iterable[Thing]) -> Iterator[Thing]:
    """Yield each item the first time it occurs, and skip repeats."""
    seen = set[Thing]()
    for one in things:
        if one not in seen:
            seen.add(one)
            yield one


def batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    """Split items into lists of at most 500."""
    remaining = iter(things)
    while batch := list(islice(remaining, PIECE)):
        yield batch
