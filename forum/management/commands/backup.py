"""manage.py backup: SQL and Redis in one folder, with checksums, while the site runs."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from time import gmtime, strftime
from typing import Any

from django.conf import settings
from django.core.management import CommandError

from forum.backups.making import make
from forum.management.base import StoreCommand

OURS = ("REDIS_URL", "CACHE_URL", "DATABASE_URL")


class Command(StoreCommand):
    """Writes a backup; the site goes on meanwhile."""

    help = "Back up SQL and Redis to a folder, while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument(
            "folder", nargs="?", type=Path, help="a new folder; else one in FORUM_DATA/backups"
        )
        parser.add_argument(
            "--try", action="store_true", dest="tried", help="restore it to a temporary site"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up, and try whether it can be brought back where that is asked for."""
        stamp = strftime("%Y%m%d-%H%M%S", gmtime())
        folder = options["folder"] or settings.FORUM_DATA / "backups" / stamp
        make(folder.absolute())
        size = sum(file.stat().st_size for file in folder.iterdir())
        self.stdout.write(f"Backed up to {folder} ({size / 1e6:.1f} MB).")
        if options["tried"]:
            _try(folder.absolute())
            self.stdout.write("A temporary site was brought back from it, and is whole.")


def _try(folder: Path) -> None:
    """Bring the backup back somewhere else. Raises CommandError where that fails."""
    if any(os.environ.get(name) for name in OURS):
        raise CommandError("--try needs SQLite and the embedded Valkey: try `restore` elsewhere.")
    with TemporaryDirectory(prefix="rostra-try-") as place:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", str(folder)]
        env = os.environ | {"FORUM_DATA": place}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandError(f"It can't be brought back: {done.stderr.strip()}")
