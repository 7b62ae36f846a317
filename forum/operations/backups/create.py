"""Makes a backup of a living site.

Redis comes first and SQL after it: whatever Redis drops from its ledger is in SQL by then, so that
the two files together have every vote acknowledged before the backup began.
"""

import shutil
import sqlite3
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.operations.backups import folders, sql_dump
from forum.operations.repair.reconcile import archive_waiting

SNAPSHOT_SECONDS = 600.0
"""How long the server may take to write its snapshot."""


def make(folder: Path) -> None:
    """Write a backup to a folder, which appears when it is whole.

    Raises CommandError, and StoreUnavailable. What a Redis that is not embedded holds comes back
    from SQL, so all votes are brought there first.
    """
    try:
        _refuse_taken(folder)
        with folders.being_written(folder) as here:
            _write(here)
    except (OSError, sqlite3.Error) as error:
        raise CommandError(_("Not backed up: %(why)s") % {"why": error}) from error


def _refuse_taken(folder: Path) -> None:
    """Raise CommandError where a folder is there, or being written. Raises OSError, too."""
    if folder.exists():
        raise CommandError(_("%(folder)s is there already: name a new one.") % {"folder": folder})
    unfinished = folders.unfinished(folder)
    if unfinished.exists() and not folders.drop_if_left(unfinished):
        raise CommandError(_("%(folder)s is being written.") % {"folder": folder})


def _write(folder: Path) -> None:
    if settings.EMBEDDED:
        _take_snapshot(folder)
    else:
        archive_waiting()
    sql_dump.dump(folder)
    secret = settings.FORUM_DATA / folders.SECRET
    if secret.exists():
        shutil.copy(secret, folder / folders.SECRET)
    folders.seal(folder)


def _take_snapshot(folder: Path) -> None:
    """Have the server write its one file, and move it into the folder. Where another backup was
    quicker to take it, it is written once more: one that stands still holds nobody up.
    """
    taken = False
    while not taken:
        get_voting_service().upkeep.snapshot(SNAPSHOT_SECONDS)
        try:
            shutil.move(settings.VALKEY_DIR / "dump.rdb", folder / folders.REDIS)
            taken = True
        except FileNotFoundError:
            if not folder.is_dir():
                raise
