"""Writes the whole site to a folder of JSON lines, while the site runs."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.db import connection
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from forum import __version__
from forum.operations import factor_keys
from forum.operations.backups import erased, folders
from forum.operations.exporting import tables

FORMAT = 1
"""The version of the format. Increase it when older versions of Rostra can't load an export."""
DESCRIPTION = "description.json"
"""The file that names the format, and for each other file its rows and fields."""
BATCH = 2_000
"""How many rows to read at once."""

Progress = Callable[[int], object]
"""A function that is called with the number of rows done since the last call."""


def count_rows() -> int:
    """Return the number of rows that an export would have now."""
    return sum(QuerySet(model).count() for model in tables.exported())


def export(folder: Path, progress: Progress) -> int:
    """Write all rows of one SQL snapshot to a new folder, and return their number.

    Until the export is complete, the folder has a temporary name. Only the owner may read the
    files, because they contain password hashes and private messages. Raises CommandError if the
    folder exists or can't be written.
    """
    if folder.exists():
        sentence = _("%(folder)s already exists: choose a new name.")
        raise CommandError(sentence % {"folder": folder})
    try:
        with folders.new_folder(folder) as unfinished:
            with _snapshot():
                keys = factor_keys.needed()
                files = {
                    tables.file_of(model): _write(model, unfinished, progress)
                    for model in tables.exported()
                }
            description = {"format": FORMAT, "version": __version__, "factor_keys": keys}
            description["files"] = files
            (unfinished / DESCRIPTION).write_text(json.dumps(description, indent=1) + "\n")
            folders.write_checksums(unfinished)
        erased.add_to(folder.parent)
    except OSError as error:
        raise CommandError(_("Not exported: %(why)s") % {"why": error}) from error
    return sum(file["rows"] for file in files.values())


@contextmanager
def _snapshot() -> Iterator[None]:
    """Make all queries in the block read the same snapshot of SQL. Others can write meanwhile.

    `transaction.atomic` would stop other processes from writing to SQLite.
    """
    modes = "" if connection.vendor == "sqlite" else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
    with connection.cursor() as cursor:
        cursor.execute(f"BEGIN{modes}")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def _write(model: type[Model], folder: Path, progress: Progress) -> dict[str, Any]:
    """Write the rows of a model to a file, and return the file's description."""
    fields, count = tables.fields_of(model), 0
    names = [field.attname for field in fields]
    rows = QuerySet(model).order_by("pk").values_list(*names).iterator(BATCH)
    with (folder / tables.file_of(model)).open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(_line(dict(zip(names, row, strict=True))))
            count += 1
            if count % BATCH == 0:
                progress(BATCH)
    progress(count % BATCH)
    kinds = {field.attname: field.get_internal_type() for field in fields}
    return {"model": model._meta.label, "rows": count, "fields": kinds}


def _line(row: dict[str, Any]) -> str:
    """Return a row as a line of JSON. Sorts keys, because PostgreSQL doesn't keep their order."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, default=_as_text) + "\n"


def _as_text(value: object) -> str:
    """Return times and dates in ISO 8601, and bytes in base64."""
    if isinstance(value, date):
        return value.isoformat()
    assert isinstance(value, bytes | memoryview), type(value)  # noqa: S101 - no other type is used
    return b64encode(value).decode()
