"""Queries that Django compiles once, and that then run with different values.

Django builds and compiles a query in 1 to 4 ms, ten times as long as the database takes to run it.
A prepared query has a blank in place of each value that differs from call to call.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, NoReturn

from django.db import connection
from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

Values = Mapping[Any, Any]
"""The values of a query, by their blanks."""
Rows = Sequence[tuple[Any, ...]]
HIGHEST = 2**31 - 1
"""The highest id that all databases can store. Django drops conditions with higher ones."""
STEP = 25
"""Lists of ids have a multiple of this many blanks."""


def number_blank(number: int = 0) -> int:
    """Return a blank for an id. No row has such a large id, and no search such a large number."""
    return HIGHEST - number


def rounded(number: int) -> int:
    """Return a number of blanks for this many ids, so that few queries have to be compiled."""
    return ceil(number / STEP) * STEP


def number_blanks(most: int) -> list[int]:
    """Return blanks for a list of at most `most` ids, such as `pk__in`."""
    return [number_blank(number + 1) for number in range(most)]


def text_blank(name: object) -> str:
    """Return a blank for a text. Texts from browsers can't contain its first character."""
    return f"\x00{name}"


def filled(ids: Iterable[int], most: int) -> dict[int, int]:
    """Return the values of `number_blanks(most)`: the ids, and for the rest 0, which no row has."""
    blanks = number_blanks(most)
    return dict.fromkeys(blanks, 0) | dict(zip(blanks, ids, strict=False))


def as_time(value: str | datetime) -> datetime:
    """Return a time from a row of a prepared query. SQLite has times in UTC, without an offset.

    It returns most of them as `datetime`, but those that it calculated as text.
    """
    at = value if isinstance(value, datetime) else parse_datetime(value)
    if at is None:
        raise ValueError(f"not a time: {value}")
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class PreparedQuery:
    """A compiled query. Threads may share it."""

    def __init__(self, rows: "QuerySet[Any, tuple[Any, ...]]") -> None:
        """Compile a query set of `values_list`, in which blanks stand for values.

        Django compiles the query to run it, and the wrapper then stops it.
        """
        self._sql = ""
        self._parameters: tuple[Any, ...] = ()
        with connection.execute_wrapper(_stop):
            try:
                list(rows)  # without a statement, if no row can match
            except _Compiled as compiled:
                self._sql, self._parameters = compiled.sql, compiled.parameters

    def fetch(self, values: Values) -> Rows:
        """Run the query with these values in its blanks, and return all rows. One query.

        Times are as the database returns them: see `as_time`.
        """
        if not self._sql:
            return ()
        with connection.cursor() as cursor:
            cursor.execute(self._sql, [values.get(one, one) for one in self._parameters])
            rows: Rows = cursor.fetchall()
            return rows


class _Compiled(Exception):
    """Stops a query before it runs."""

    def __init__(self, sql: str, parameters: Sequence[Any]) -> None:
        super().__init__(sql)
        self.sql, self.parameters = sql, tuple(parameters)


def _stop(_execute: object, sql: str, parameters: Sequence[Any], *_rest: object) -> NoReturn:
    raise _Compiled(sql, parameters)
