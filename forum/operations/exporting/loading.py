"""Loads an export into the empty database of a new site."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management import CommandError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.db.models import Field, Model
from django.utils.translation import gettext as _

from forum.operations.backups import folders
from forum.operations.exporting import tables
from forum.operations.exporting.writing import DESCRIPTION, FORMAT, Progress
from forum.operations.repair import search_texts
from forum.previews.missing import MissingPreviewsSync
from forum.queries.batches import batches
from forum.store import outbox

Row = dict[str, Any]


def read_description(folder: Path) -> dict[str, Any]:
    """Check the files of an export, and return its description.

    Raises CommandError if a file is missing or damaged, or if this version can't load the export.
    """
    if DESCRIPTION not in folders.verify(folder):
        sentence = _("%(folder)s is not an export: it has no %(file)s.")
        raise CommandError(sentence % {"folder": folder, "file": DESCRIPTION})
    description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text())
    if description["format"] != FORMAT:
        sentence = _("This export is from Rostra %(version)s. Load it with that version.")
        raise CommandError(sentence % {"version": description["version"]})
    return description


def load(folder: Path, progress: Progress) -> None:
    """Load all rows of an export in one transaction. The tables must be empty.

    Also computes the texts for search, and asks the worker for images for link previews. Doesn't
    fill Redis: the site does that when it starts. Raises CommandError if a row is invalid; the
    database is then unchanged.
    """
    with transaction.atomic():
        for model in tables.exported():
            _load(model, folder / tables.file_of(model), progress)
        try:
            connection.check_constraints()
        except DatabaseError as error:
            sentence = _("A row refers to another row that is missing: %(why)s")
            raise CommandError(sentence % {"why": error}) from error
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), tables.exported()):
                cursor.execute(statement)
    search_texts.fill_missing()
    outbox.write(MissingPreviewsSync())


def _load(model: type[Model], file: Path, progress: Progress) -> None:
    fields = model._meta.local_concrete_fields
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    insert = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608
    with connection.cursor() as cursor:
        # Migrations create a few rows, such as the site's policy.
        cursor.execute(f"DELETE FROM {quote(model._meta.db_table)}")  # noqa: S608
        for rows in batches(_rows(file, fields)):
            try:
                cursor.executemany(insert, rows)
            except DatabaseError as error:
                sentence = _("The database refuses a row of %(file)s: %(why)s")
                raise CommandError(sentence % {"file": file.name, "why": error}) from error
            progress(len(rows))


def _rows(file: Path, fields: Sequence["Field[Any, Any]"]) -> Iterator[list[Any]]:
    """Yield the values of each row in the file, converted for the database."""
    with file.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _values(json.loads(line), fields)
            except (ValueError, LookupError, TypeError, ValidationError) as error:
                sentence = _("%(file)s, line %(number)s is invalid: %(why)s")
                raise CommandError(
                    sentence % {"file": file.name, "number": number, "why": error}
                ) from error


def _values(row: Row, fields: Sequence["Field[Any, Any]"]) -> list[Any]:
    """Return a row's values, converted for the database. Fields missing in the row get defaults."""
    unknown = row.keys() - {field.attname for field in fields}
    if unknown:
        raise LookupError(f"unknown field {min(unknown)}")
    return [
        field.get_db_prep_save(
            field.to_python(row[field.attname]) if field.attname in row else field.get_default(),
            connection,
        )
        for field in fields
    ]
