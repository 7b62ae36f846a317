"""Brings a site back from a backup, and Redis up to what SQL has."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from time import strftime
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
"""What SQLite may have beside its file."""


def restore(folder: Path, *, force: bool, deep: bool = False) -> int:
    """Replace the site's SQL and Redis with a backup; return how many posts there are.

    `force`: also where there is something, which is put aside (of PostgreSQL and of an external
    Redis: replaced). `deep`: the ledger, replayed, must lead to the votes.

    Raises CommandError: then nothing has changed, unless PostgreSQL was replaced before Redis could
    be filled; or the site is there and, it says, not whole.
    """
    names = folders.verify(folder)
    with claimed(settings.FORUM_DATA, by=RESTORE):
        undo_what_was_cut_off()
        _refuse_over_a_site(force=force)
        sql_dump.refuse_another_kind(names)
        with _told(), _files_aside(names) as settle:
            _lay_out(folder, names)
            sql_dump.load(folder)
            if connection.vendor != "sqlite":
                settle()  # what PostgreSQL had is gone
            with _redis():
                call_command("migrate", interactive=False, verbosity=0)
                posts = refill()
                settle()
                for sentence in chain(differences(), replay.differences(WHOLE) if deep else ()):
                    raise CommandError(
                        _("Brought back, but not whole: %(what)s") % {"what": sentence}
                    )
    return posts


def undo_what_was_cut_off() -> str | None:
    """Bring back the site that a killed `restore` had put aside, if one did, and say so.

    For whoever has claimed the data. Raises CommandError.
    """
    if not file_swap.is_cut_off(settings.FORUM_DATA):
        return None
    with _told():
        valkey = _valkey()
        if settings.EMBEDDED and valkey.is_running():  # of what was half made
            valkey.start()
            valkey.stop()
        file_swap.bring_back(settings.FORUM_DATA)
    return "A `restore` was cut off: the files of the site are again as they were before it."


def _refuse_over_a_site(*, force: bool) -> None:
    """Raise CommandError where the site runs, or, without `force`, where there is one at all."""
    if settings.EMBEDDED and _valkey().is_running():
        raise CommandError(_("The site's Valkey is running: stop it first. Nothing was changed."))
    if not force and not _is_empty():
        raise CommandError(_("There is a site already: --force replaces it. Nothing was changed."))


def _is_empty() -> bool:
    if not sql_dump.is_empty():
        return False
    if settings.EMBEDDED:
        return not settings.VALKEY_DIR.exists()
    try:
        get_voting_service().upkeep.generation()
    except StoreEmpty:
        return True
    return False


@contextmanager
def _told() -> Iterator[None]:
    """Raise CommandError for what stands in the way of files, SQL and Redis."""
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError, EmbeddedError, StoreUnavailable) as error:
        raise CommandError(_("Not brought back: %(why)s") % {"why": error}) from error


@contextmanager
def _files_aside(names: frozenset[str]) -> Iterator[Callable[[], None]]:
    """Have the files out of the way of those that come; they come back where the block fails."""
    moving = [_secret()] if folders.SECRET in names else []
    moving += [settings.VALKEY_DIR] if settings.EMBEDDED else []
    if connection.vendor == "sqlite":
        connection.close()
        ours = sql_dump.sqlite_file()
        moving += [ours, *(ours.with_name(f"{ours.name}-{end}") for end in SQLITE_ENDS)]
    place = settings.FORUM_DATA / f"{file_swap.REPLACED}{strftime('%Y%m%d-%H%M%S')}"
    with file_swap.put_aside(moving, place) as settle:
        try:
            yield settle
        finally:
            connection.close()


def _lay_out(folder: Path, names: frozenset[str]) -> None:
    """Copy the files that need no program to read them."""
    if folders.SECRET in names:
        shutil.copy(folder / folders.SECRET, _secret())
    if settings.EMBEDDED and folders.REDIS in names:
        _valkey().create_from_snapshot(folder / folders.REDIS)


@contextmanager
def _redis() -> Iterator[None]:
    """Have Redis run: the embedded one with what the backup has of it, another one emptied.

    What that one knows is of the site that is replaced, whose people and posts may have had the
    same numbers.
    """
    if not settings.EMBEDDED:
        get_voting_service().upkeep.wipe()
        forget: Any = cache
        forget.delete_pattern("*")
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
