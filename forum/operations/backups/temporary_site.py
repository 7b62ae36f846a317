"""Restores a backup to a temporary site, in a separate process."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.operations.backups import sql_dump


def try_restore(folder: Path) -> None:
    """Restore a backup to a temporary site, and compare the site's votes with its ledger.

    Raises CommandError if the restore fails, or if SQL and Redis of the restored site differ.
    """
    with TemporaryDirectory(prefix="rostra-try-") as data, sql_dump.scratch() as database_url:
        restore_to(Path(data), folder, database_url=database_url, deep=True)


def restore_to(
    data: Path,
    folder: Path,
    *,
    database_url: str = "",
    deep: bool,
    turn_off_factors: bool = False,
) -> None:
    """Restore the backup in `folder` to a new site in the directory `data`.

    The new site has an embedded Valkey. It uses SQLite if `database_url` is empty. If `deep`, also
    checks the votes in SQL against the ledger. If `turn_off_factors`, turns off second factors
    whose SECRET_KEY is unknown. Raises CommandError if the restore fails, or if SQL and Redis of
    the restored site differ.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", str(folder)]
    if deep:
        command.append("--deep")
    if turn_off_factors:
        command.append("--turn-off-factors")
    site = {"FORUM_DATA": str(data), "DATABASE_URL": database_url, "REDIS_URL": "", "CACHE_URL": ""}
    with subprocess.Popen(
        command,
        env=os.environ | site,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C reaches only this process, which ends the child
    ) as process:
        try:
            _stdout, why = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()  # the child stops its Valkey; Popen would wait only 0.25 s
            raise
    if process.returncode:
        sentence = _("%(folder)s can't be restored: %(why)s")
        raise CommandError(sentence % {"folder": folder, "why": why.strip()})
