"""Copies every table from SQLite to PostgreSQL, with PostgreSQL's COPY command."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.core.management import CommandError
from django.core.management.color import no_style
from django.db import Error as DatabaseError
from django.db import connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from environ import Env

TARGET = "target"
"""The name by which Django knows the new PostgreSQL database."""
READ = 2_000
"""How many rows to read from SQLite at once."""
CONVERTED = (models.JSONField, models.BinaryField)
"""Types of fields whose values must be converted for PostgreSQL's COPY."""

Progress = Callable[[int], object]
"""A function that is called with the number of rows copied since the last call."""


@contextmanager
def database(alias: str, url: str) -> Iterator[BaseDatabaseWrapper]:
    """Add the database at `url` to Django's databases as `alias`, and yield its connection.

    When the block ends, close the connection and remove the alias.
    """
    config = Env.db_url_config(url)
    connections.settings[alias] = connections.configure_settings({"default": config})["default"]
    connection = connections[alias]
    try:
        yield connection
    finally:
        connection.close()
        del connections[alias]
        del connections.settings[alias]


def count_rows() -> int:
    """Return the number of rows in the site's database. One query per table."""
    return sum(models.QuerySet(model).count() for model in _tables())


def copy_all(target: BaseDatabaseWrapper, progress: Progress) -> None:
    """Replace all rows in `target` with the site's rows, in one transaction.

    Raises CommandError if PostgreSQL rejects a row.
    """
    tables = _tables()
    quoted = ", ".join(target.ops.quote_name(model._meta.db_table) for model in tables)
    with transaction.atomic(TARGET), target.cursor() as cursor:
        cursor.execute(f"TRUNCATE {quoted}")
        for model in tables:
            _copy_table(target, cursor, model, progress)
        for statement in target.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
        try:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except DatabaseError as error:
            raise CommandError(f"A row refers to another row that is missing: {error}") from error
    with target.cursor() as cursor:
        cursor.execute("ANALYZE")


def _tables() -> list[type[models.Model]]:
    """Return all models that have a table, including Django's models for many-to-many fields."""
    every = apps.get_models(include_auto_created=True)
    return [model for model in every if model._meta.managed and not model._meta.proxy]


def _copy_table(
    target: BaseDatabaseWrapper,
    cursor: CursorWrapper,
    model: type[models.Model],
    progress: Progress,
) -> None:
    fields = model._meta.local_concrete_fields
    names = [field.attname for field in fields]
    columns = ", ".join(target.ops.quote_name(str(field.column)) for field in fields)
    table = model._meta.db_table
    converted = {n: field for n, field in enumerate(fields) if isinstance(field, CONVERTED)}
    rows = models.QuerySet(model).order_by("pk").values_list(*names).iterator(READ)
    try:
        command = f"COPY {target.ops.quote_name(table)} ({columns}) FROM STDIN"
        with target.wrap_database_errors, cursor.copy(command) as copy:
            for number, row in enumerate(rows, 1):
                copy.write_row(_convert(row, converted, target) if converted else row)
                if number % READ == 0:
                    progress(READ)
    except DatabaseError as error:
        reason = str(error).strip()
        raise CommandError(f"PostgreSQL refuses a row of {table}: {reason}") from error


def _convert(
    row: Sequence[Any],
    converted: Mapping[int, "models.Field[Any, Any]"],
    target: BaseDatabaseWrapper,
) -> list[Any]:
    values = list(row)
    for n, field in converted.items():
        if values[n] is not None:
            values[n] = field.get_db_prep_save(values[n], target)
    return values
