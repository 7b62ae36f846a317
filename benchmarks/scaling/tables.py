"""Measure the size of SQL tables, including their indexes."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import connection
from django.db.models import Model

from benchmarks.scaling.lines import Line

Made = TypeVar("Made")
Models = Sequence[type[Model]]


def grown(fill: Callable[[], Made], models: Models) -> tuple[int, Made]:
    """Call `fill`, and return by how many bytes this enlarged the tables of `models`.

    Also returns the result of `fill`. With SQLite, the number is the growth of the whole file.
    """
    before = _size(models)
    made = fill()
    return _size(models) - before, made


def _size(models: Models) -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE")
            names = [model._meta.db_table for model in models]
            sizes = "SELECT sum(pg_total_relation_size(t)) FROM unnest(%s::regclass[]) t"
            cursor.execute(sizes, [names])
        else:
            cursor.execute(
                "SELECT (page_count - freelist_count) * page_size"
                " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
            )
        return int(cursor.fetchone()[0])


def line(name: str, what: str, size: float) -> Line:
    """Return a result in bytes. Its description begins with the database's name and version."""
    return Line(name, f"{_version()}, {what}", size, "bytes")


def _version() -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW server_version")
            return f"PostgreSQL {cursor.fetchone()[0].split()[0]}"
        cursor.execute("SELECT sqlite_version()")
        return f"SQLite {cursor.fetchone()[0]}"
