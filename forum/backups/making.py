"""Makes a backup of a living site.

Redis comes first and SQL after it: whatever Redis drops from its ledger is in SQL by then, so that
the two files together have every vote acknowledged before the backup began.
"""

import shutil
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.backups import folders, sql
from forum.store import voting
from forum.upkeep.settling import archive_waiting

SNAPSHOT_SECONDS = 600.0
"""How long the server may take to write its snapshot."""


def make(folder: Path) -> None:
    """Write a backup to a folder, which appears when it is whole.

    Raises CommandError, and StoreUnavailable. What a Redis that is not embedded holds comes back
    from SQL, so all votes are brought there first.
    """
    if folder.exists():
        raise CommandError(_("%(folder)s is there already: name a new one.") % {"folder": folder})
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700, parents=True)
    if settings.EMBEDDED:
        voting().upkeep.snapshot(SNAPSHOT_SECONDS)
        shutil.move(settings.VALKEY_DIR / "dump.rdb", unfinished / folders.REDIS)
    else:
        archive_waiting()
    sql.dump(unfinished)
    secret = settings.FORUM_DATA / "secret-key"
    if secret.exists():
        shutil.copy(secret, unfinished / folders.SECRET)
    folders.seal(unfinished)
    unfinished.rename(folder)
