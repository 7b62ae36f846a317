"""Brings rows to PostgreSQL, by its COPY: all of a table, or those that have changed since."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from django.core.management import CommandError
from django.core.management.color import no_style
from django.db import Error as DatabaseError
from django.db import connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext as _

from forum.models import LedgerCursor
from forum.moving.changes import changed
from forum.moving.databases import COPY, TARGET, tables
from forum.queries.pieces import batches

READ = 2_000
"""Rows read from SQLite at once."""
PREPARED = (models.JSONField, models.BinaryField)
"""Fields whose values PostgreSQL wants in another form than Python has them."""

Rows = Iterator[tuple[Any, ...]]
Progress = Callable[[int], object]
"""Hears how many more rows are there."""


def size() -> int:
    """Return how many rows the site has in SQL. A query for each table."""
    return sum(_count(model, connection) for model in tables())


def copy_all(target: BaseDatabaseWrapper, progress: Progress) -> None:
    """Put every row of the copy in place of what the target has. Raises CommandError."""
    every = tables()
    quoted = ", ".join(target.ops.quote_name(model._meta.db_table) for model in every)
    with transaction.atomic(TARGET), target.cursor() as cursor:
        cursor.execute(f"TRUNCATE {quoted}")
        for model in every:
            rows = _rows(models.QuerySet(model, using=COPY).order_by("pk"))
            _pour(target, cursor, model, _told(rows, progress))
        _finish(target, cursor)
    with target.cursor() as cursor:
        cursor.execute("ANALYZE")


def copy_changes(target: BaseDatabaseWrapper) -> int:
    """Bring what has changed since the copy to the target; return how many rows. Call it while
    nobody writes. Raises CommandError where the target would not have as many rows as the site.
    """
    total = 0
    with transaction.atomic(TARGET), target.cursor() as cursor:
        for model in tables():
            total += _copy_changes(target, cursor, model)
        _finish(target, cursor)
        for model in tables():
            ours, theirs = _count(model, connection), _count(model, target)
            if ours != theirs:
                sentence = _("%(table)s has %(theirs)d rows there and %(ours)d here.")
                table = model._meta.db_table
                raise CommandError(sentence % {"table": table, "theirs": theirs, "ours": ours})
    return total


def _copy_changes(
    target: BaseDatabaseWrapper, cursor: CursorWrapper, model: type[models.Model]
) -> int:
    key = model._meta.pk
    if model is LedgerCursor:  # the new site has looked at it, and may have added lines
        cursor.execute(f"DELETE FROM {model._meta.db_table}")  # noqa: S608 - our own name
        now = list(models.QuerySet(model).values_list("pk", flat=True))
        gone: list[Any] = []
    else:
        found = changed(model)
        now, gone = ([key.to_python(pk) for (pk,) in some] for some in (found.now, found.gone))
    for some in batches([*now, *gone]):
        table, column = map(target.ops.quote_name, (model._meta.db_table, str(key.column)))
        cursor.execute(f"DELETE FROM {table} WHERE {column} = ANY(%s)", [some])  # noqa: S608
    for some in batches(now):
        _pour(target, cursor, model, _rows(models.QuerySet(model).filter(pk__in=some)))
    return len(now) + len(gone)


def _pour(
    target: BaseDatabaseWrapper, cursor: CursorWrapper, model: type[models.Model], rows: Rows
) -> None:
    """Copy rows into a table."""
    fields = model._meta.local_concrete_fields
    name = target.ops.quote_name
    columns = ", ".join(name(str(field.column)) for field in fields)
    prepared = [n for n, field in enumerate(fields) if isinstance(field, PREPARED)]
    table = name(model._meta.db_table)
    try:
        copy = f"COPY {table} ({columns}) FROM STDIN"
        with target.wrap_database_errors, cursor.copy(copy) as there:
            for row in rows:
                there.write_row(_prepared(target, fields, row, prepared) if prepared else row)
    except DatabaseError as error:
        sentence = _("PostgreSQL refuses a row of %(table)s: %(why)s")
        told = {"table": model._meta.db_table, "why": str(error).strip()}
        raise CommandError(sentence % told) from error


def _prepared(
    target: BaseDatabaseWrapper,
    fields: Collection[Any],
    row: Iterable[Any],
    places: Collection[int],
) -> list[Any]:
    pairs = enumerate(zip(fields, row, strict=True))
    return [
        field.get_db_prep_save(value, target) if place in places and value is not None else value
        for place, (field, value) in pairs
    ]


def _finish(target: BaseDatabaseWrapper, cursor: CursorWrapper) -> None:
    """Have numbers go on behind those there are, and every reference checked."""
    for statement in target.ops.sequence_reset_sql(no_style(), tables()):
        cursor.execute(statement)
    try:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except DatabaseError as error:
        sentence = _("A row refers to one that is not there: %(why)s")
        raise CommandError(sentence % {"why": str(error).strip()}) from error


def _rows(found: models.QuerySet[Any]) -> Rows:
    names = [field.attname for field in found.model._meta.local_concrete_fields]
    rows: Rows = found.values_list(*names).iterator(READ)
    return rows


def _told(rows: Rows, progress: Progress) -> Rows:
    for number, row in enumerate(rows, 1):
        yield row
        if number % READ == 0:
            progress(READ)


def _count(model: type[models.Model], where: BaseDatabaseWrapper) -> int:
    return models.QuerySet(model, using=where.alias).count()
