"""Tries a backup: a temporary site is brought back from it, and must be whole."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.operations.backups import sql_dump


def bring_back_elsewhere(folder: Path) -> None:
    """Restore a backup to a site that exists for it alone, with SQL of the same kind and an
    embedded Valkey. Raises CommandError where it does not come back whole.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", "--deep"]
    with TemporaryDirectory(prefix="rostra-try-") as place, sql_dump.scratch() as address:
        elsewhere = {"FORUM_DATA": place, "DATABASE_URL": address, "REDIS_URL": "", "CACHE_URL": ""}
        with subprocess.Popen(
            [*command, str(folder)],
            env=os.environ | elsewhere,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a terminal that stops us leaves stopping it to us
        ) as trial:
            try:
                _nothing, why = trial.communicate()
            except BaseException:
                trial.terminate()
                trial.wait()  # it has a Valkey to end; `with` would leave it after 0.25 s
                raise
    if trial.returncode:
        sentence = _("%(folder)s can't be brought back: %(why)s")
        raise CommandError(sentence % {"folder": folder, "why": why.strip()})
