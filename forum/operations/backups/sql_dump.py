"""Copies the SQL database to and from a file, with SQLite's backup API or PostgreSQL's tools."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError
from django.db import connection, connections
from django.utils.translation import gettext as _

from forum.config import environment

GIVEN = ("HOST", "PORT", "USER", "PASSWORD", "SSLMODE", "SSLROOTCERT")
"""Connection settings. PostgreSQL's tools get them in environment variables such as PGHOST."""
SQLITE, POSTGRESQL = "forum.sqlite3", "forum.pgdump"


def dump(folder: Path) -> None:
    """Copy the SQL database to a file in `folder`, while the site runs.

    Raises CommandError if the copy is damaged or if `pg_dump` fails.
    """
    if connection.vendor != "sqlite":
        arguments = ["--format=custom", "--no-owner", "--no-privileges"]
        _run("pg_dump", *arguments, f"--file={folder / POSTGRESQL}", _name())
        return
    with closing(sqlite3.connect(folder / SQLITE)) as copy:
        connection.ensure_connection()
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        (answer,) = copy.execute("PRAGMA quick_check").fetchone()
    if answer != "ok":
        raise CommandError(_("The copied SQLite database is damaged: %(why)s") % {"why": answer})


def refuse_other_database(names: frozenset[str]) -> None:
    """Raise CommandError if the backup is from SQLite and the site uses PostgreSQL, or vice versa.

    `names` are the names of the backup's files.
    """
    if connection.vendor == "sqlite" and SQLITE not in names:
        sentence = _("This backup is from PostgreSQL. Set DATABASE_URL to a PostgreSQL database.")
        raise CommandError(sentence)
    if connection.vendor != "sqlite" and POSTGRESQL not in names:
        raise CommandError(_("This backup is from SQLite. Unset DATABASE_URL to restore it."))


def load(folder: Path) -> None:
    """Replace the content of the SQL database with the backup in `folder`.

    If PostgreSQL can't read the file, raises CommandError and leaves the database unchanged. If
    SQLite can't, raises sqlite3.Error, and the database may be incomplete.
    """
    connections.close_all()
    if connection.vendor != "sqlite":
        arguments = ["--clean", "--if-exists", "--no-owner", "--no-privileges"]
        arguments += ["--single-transaction", f"--dbname={_name()}"]
        _run("pg_restore", *arguments, str(folder / POSTGRESQL))
        return
    with (
        closing(sqlite3.connect(folder / SQLITE)) as copy,
        closing(sqlite3.connect(sqlite_file())) as ours,
    ):
        copy.backup(ours)


def is_empty() -> bool:
    """Return whether the SQL database has no tables."""
    if connection.vendor == "sqlite" and not sqlite_file().exists():
        return True
    return not connection.introspection.table_names()


@contextmanager
def scratch() -> Iterator[str]:
    """Yield the DATABASE_URL of a temporary empty database, or "" for SQLite.

    Raises CommandError if the site's PostgreSQL user isn't allowed to create databases.
    """
    if connection.vendor == "sqlite":
        yield ""
        return
    name = f"{_name()}_try_{token_hex(4)}"
    _run("createdb", name)
    try:
        yield urlsplit(environment.text("DATABASE_URL"))._replace(path=f"/{name}").geturl()
    finally:
        _run("dropdb", name)


def sqlite_file() -> Path:
    """Return the path of the site's SQLite database."""
    return Path(settings.DATABASES["default"]["NAME"])


def _name() -> str:
    return str(settings.DATABASES["default"]["NAME"])


def _run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs for the site's database. Raises CommandError if it fails."""
    ours: dict[str, Any] = settings.DATABASES["default"]
    more: dict[str, Any] = ours.get("OPTIONS", {})
    given = {f"PG{name}": ours.get(name) or more.get(name.lower()) for name in GIVEN}
    env = {name: str(value) for name, value in given.items() if value}
    command: Sequence[str] = [program, *arguments]
    try:
        subprocess.run(command, env=os.environ | env, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        sentence = _("%(program)s is not installed: install PostgreSQL's client programs.")
        raise CommandError(sentence % {"program": program}) from error
    except subprocess.CalledProcessError as error:
        sentence = _("%(program)s failed: %(why)s")
        raise CommandError(sentence % {"program": program, "why": error.stderr.strip()}) from error
