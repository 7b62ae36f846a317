"""manage.py backup: SQL and Redis in one folder, with checksums, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.management.base import StoreCommand
from forum.operations.backups import retention
from forum.operations.backups.create import make
from forum.operations.backups.trial_restore import bring_back_elsewhere
from forum.operations.supervision import stop_signals


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
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="remove older ones from FORUM_DATA/backups, so that N are left",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up, and do with it what is asked for."""
        stop_signals.heed()
        if options["keep"] is not None and (options["folder"] or options["keep"] < 1):
            raise CommandError(_("--keep takes 1 or more, and no folder: it is for all backups."))
        folder = (options["folder"] or retention.new_folder()).absolute()
        make(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        self.stdout.write(f"Backed up to {folder} ({size / 1e6:.1f} MB).")
        if options["tried"]:
            self._try(folder, keeps=options["keep"] is not None)
        if options["keep"] is not None:
            for gone in retention.keep(folder, options["keep"]):
                self.stdout.write(f"Removed {gone}.")

    def _try(self, folder: Path, *, keeps: bool) -> None:
        try:
            bring_back_elsewhere(folder)
        except CommandError:
            if keeps:
                retention.mark_failed(folder)
            raise
        self.stdout.write("A temporary site was brought back from it, and is whole.")
