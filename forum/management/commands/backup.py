"""manage.py backup: SQL and Redis in one folder, with checksums, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from time import gmtime, strftime
from typing import Any

from django.conf import settings

from forum.backups.making import make
from forum.backups.trying import bring_back_elsewhere
from forum.management.base import StoreCommand


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
            bring_back_elsewhere(folder.absolute())
            self.stdout.write("A temporary site was brought back from it, and is whole.")
