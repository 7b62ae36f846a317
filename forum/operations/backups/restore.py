"""Restore a site from a backup, and bring Redis up to date with SQL."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.operations.backups import file_swap, folders, sql_dump
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import refill
from forum.operations.repair.scope import WHOLE
from forum.operations.supervision.children import Valkey
from forum.operations.supervision.claims import RESTORE, claimed
from voting.errors import EmbeddedError, StoreEmpty, StoreUnavailable

SQLITE_ENDS = ("journal", "wal", "shm")
"""The ends of the names of the files that SQLite may have beside its own."""


def restore(folder: Path, *, force: bool, deep: bool = False) -> int:
    """Replace the site's SQL and Redis with a backup and return the number of its posts.

    `force`: replace a site that is there. Its files are renamed; the content of a PostgreSQL or of
    a Redis that is not embedded is lost.
    `deep`: also replay the ledger, which must lead to the archived votes.

    Raises CommandError. Then nothing has changed, unless PostgreSQL was replaced and Redis could
    not be filled, or the message says that the restored site disagrees with itself.
    """
    names = folders.verify(folder)
    with claimed(settings.FORUM_DATA, by=RESTORE):
        undo_interrupted_restore()
        _refuse_existing_site(force=force)
        sql_dump.refuse_other_database(names)
        with _as_command_error(), _files_aside(names) as settle:
            _copy_files(folder, names)
            sql_dump.load(folder)
            if connection.vendor != "sqlite":
                settle()  # what PostgreSQL had is gone
            with _redis():
                call_command("migrate", interactive=False, verbosity=0)
                posts = refill()
                settle()
                for sentence in chain(differences(), replay.differences(WHOLE) if deep else ()):
                    raise CommandError(
                        _("Restored, but Redis and SQL disagree: %(what)s") % {"what": sentence}
                    )
    return posts


def undo_interrupted_restore() -> str | None:
    """Undo a `restore` that was killed. Return a sentence that says so, or None if there was none.

    The caller must have claimed FORUM_DATA. Raises CommandError.
    """
    with _as_command_error():
        if not (settings.FORUM_DATA / file_swap.NOTE).exists():
            return None
        valkey = _valkey()
        if settings.EMBEDDED and valkey.is_running():  # that of the half restored site
            valkey.start()
            valkey.stop()
        file_swap.undo(settings.FORUM_DATA)
    return "Undid a `restore` that was interrupted: the site's files are as they were before it."


def _refuse_existing_site(*, force: bool) -> None:
    """Raise CommandError if the site's Valkey runs or, without `force`, if there is a site."""
    if settings.EMBEDDED and _valkey().is_running():
        raise CommandError(_("The site's Valkey is running: stop it first. Nothing was changed."))
    if not force and not _is_empty():
        sentence = _("There is already a site: --force replaces it. Nothing was changed.")
        raise CommandError(sentence)


def _is_empty() -> bool:
    if not sql_dump.is_empty():
        return False
    if settings.EMBEDDED:
        return not settings.VALKEY_DIR.exists()
    try:
        get_voting_service().maintenance.generations.current()
    except StoreEmpty:
        return True
    return False


@contextmanager
def _as_command_error() -> Iterator[None]:
    """Turn errors of files, SQL and Redis into CommandError."""
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError, EmbeddedError, StoreUnavailable) as error:
        raise CommandError(_("Not restored: %(why)s") % {"why": error}) from error


@contextmanager
def _files_aside(names: frozenset[str]) -> Iterator[Callable[[], None]]:
    """Make room for the backup's files; see `file_swap.renamed_aside`."""
    paths = [_secret()] if folders.SECRET in names else []
    paths += [settings.VALKEY_DIR] if settings.EMBEDDED else []
    if connection.vendor == "sqlite":
        connection.close()
        sqlite = sql_dump.sqlite_file()
        paths += [sqlite, *(sqlite.with_name(f"{sqlite.name}-{end}") for end in SQLITE_ENDS)]
    with file_swap.renamed_aside(settings.FORUM_DATA, paths) as settle:
        try:
            yield settle
        finally:
            connection.close()


def _copy_files(folder: Path, names: frozenset[str]) -> None:
    """Copy the backup's files except SQL."""
    if folders.SECRET in names:
        shutil.copy(folder / folders.SECRET, _secret())
    if settings.EMBEDDED and folders.REDIS in names:
        _valkey().create_from_snapshot(folder / folders.REDIS)


@contextmanager
def _redis() -> Iterator[None]:
    """Run the embedded Redis with the backup's snapshot, or empty one that is not embedded.

    That one must be emptied because it knows people and posts of the replaced site, which may have
    had the same ids.
    """
    if not settings.EMBEDDED:
        get_voting_service().maintenance.generations.wipe()
        redis_cache: Any = cache
        redis_cache.delete_pattern("*")
        yield
        return
    valkey = _valkey()
    try:
        valkey.start()
        yield
    finally:
        valkey.stop()


def _valkey() -> Valkey:
    return Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)


def _secret() -> Path:
    return Path(settings.FORUM_DATA / folders.SECRET)
