"""Try a backup by restoring it to a temporary site."""

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
    """Restore a backup to a temporary site with an embedded Valkey and the same database system.

    Raises CommandError if that fails or the restored site disagrees with itself.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", "--deep"]
    with TemporaryDirectory(prefix="rostra-try-") as place, sql_dump.scratch() as address:
        temporary = {"FORUM_DATA": place, "DATABASE_URL": address, "REDIS_URL": "", "CACHE_URL": ""}
        with subprocess.Popen(
            [*command, str(folder)],
            env=os.environ | temporary,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C reaches only us, and we end it
        ) as trial:
            try:
                _nothing, why = trial.communicate()
            except BaseException:
                trial.terminate()
                trial.wait()  # it ends its Valkey; Popen itself would wait for 0.25 s only
                raise
    if trial.returncode:
        sentence = _("%(folder)s can't be restored: %(why)s")
        raise CommandError(sentence % {"folder": folder, "why": why.strip()})
