"""Creates a backup of a running site.

Redis is copied before SQL. Redis deletes a vote only after the vote was copied to SQL. So the two
copies together contain all votes that were accepted before the backup began.
"""

import fcntl
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.config.data_directory import writing
from forum.ledger.archiver import archive_waiting
from forum.operations import factor_keys
from forum.operations.backups import erased, folders, sql_dump
from forum.store.service import get_voting_service

LOCK = "backup.lock"
SNAPSHOT_SECONDS = 600.0
"""How many seconds Valkey may take to write its snapshot."""


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait until no other backup or export of the site runs, then hold a lock until the block ends.

    Two backups can't run at once, because Valkey has only one snapshot file.
    """
    with writing(settings.FORUM_DATA):
        lock = (settings.FORUM_DATA / LOCK).open("w")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def create(folder: Path) -> None:
    """Write a backup of the site to `folder`, which has a temporary name until it is complete.

    Copies Redis only if it is embedded. Otherwise, first archives all votes, so that the SQL copy
    contains them. Raises CommandError if the backup can't be written, and StoreUnavailable if Redis
    is down.
    """
    try:
        if folder.exists():
            sentence = _("%(folder)s already exists: choose a new name.")
            raise CommandError(sentence % {"folder": folder})
        with folders.new_folder(folder) as unfinished:
            _write(unfinished)
        erased.add_to(folder.parent)
    except (OSError, sqlite3.Error) as error:
        raise CommandError(_("Not backed up: %(why)s") % {"why": error}) from error


def _write(folder: Path) -> None:
    if settings.EMBEDDED:
        get_voting_service().maintenance.server.snapshot(SNAPSHOT_SECONDS)
        shutil.move(settings.VALKEY_DIR / "dump.rdb", folder / folders.REDIS)
    else:
        archive_waiting()
    sql_dump.dump(folder)
    (folder / factor_keys.FILE).write_text("\n".join(factor_keys.needed()))
    secret = settings.FORUM_DATA / folders.SECRET
    if secret.exists():
        shutil.copy(secret, folder / folders.SECRET)
    folders.write_checksums(folder)
