"""Runs one SQL statement for many rows. The ORM would take up to ten times as long.

The statement contains `{rows}`, which is replaced by a table of the rows, named `given`. Write
dates and times in the database's own format.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from django.db import connection
from django.db.models import Model

BATCH = 1_000
"""The number of rows in one statement. SQLite allows 32,766 values."""

Row = tuple[Any, ...]


def insert(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], otherwise: str = ""
) -> None:
    """Insert rows in order; `otherwise` is an ON CONFLICT clause."""
    statement = (
        f"INSERT INTO {model._meta.db_table} ({_names(columns)})"  # noqa: S608 - our own names
        f" SELECT * FROM {{rows}} WHERE true {otherwise}"  # SQLite needs a word before ON CONFLICT
    )
    write(statement, model, columns, rows)


def write(statement: str, model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Run a statement for many rows.

    The statement sees the rows as a table named `given`. `columns` are the names of the table's
    columns, which have the same types as in `model`.
    """
    with connection.cursor() as cursor:
        for some in _batches(rows):
            cursor.execute(*_filled(statement, model, columns, some))


def read(
    statement: str, model: type[Model], columns: Sequence[str], rows: Sequence[Row]
) -> Iterator[Row]:
    """Run a statement for many rows and yield the rows of its result."""
    with connection.cursor() as cursor:
        for some in _batches(rows):
            cursor.execute(*_filled(statement, model, columns, some))
            yield from cursor.fetchall()


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def _filled(
    statement: str, model: type[Model], columns: Sequence[str], rows: Sequence[Row]
) -> tuple[str, list[Any]]:
    if connection.vendor == "postgresql":
        fields = {field.column: field for field in model._meta.concrete_fields}
        arrays = ", ".join(f"%s::{fields[name].cast_db_type(connection)}[]" for name in columns)
        given = f"unnest({arrays}) AS given ({_names(columns)})"
        return statement.format(rows=given), [list(column) for column in zip(*rows, strict=True)]
    marks = f"({', '.join(['%s'] * len(columns))})"
    named = ", ".join(f'column{n} AS "{name}"' for n, name in enumerate(columns, start=1))
    given = f"(SELECT {named} FROM (VALUES {', '.join([marks] * len(rows))})) AS given"  # noqa: S608
    return statement.format(rows=given), list(chain.from_iterable(rows))


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
