"""manage.py backup: save SQL and Redis to one folder, with checksums, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.management.base import StoreCommand
from forum.operations.backups import retention
from forum.operations.backups.create import create, one_at_a_time
from forum.operations.backups.temporary_site import try_restore
from forum.operations.supervision import stop_signals


class Command(StoreCommand):
    """Back up the site while it runs."""

    help = "Back up SQL and Redis to a folder, while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments: the folder and the options."""
        parser.add_argument(
            "folder", nargs="?", type=Path, help="a new folder (default: one in FORUM_DATA/backups)"
        )
        parser.add_argument(
            "--try", action="store_true", dest="tried", help="restore it to a temporary site"
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="keep only the N newest backups in FORUM_DATA/backups",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the backup. If asked, also test restoring it, and remove old backups."""
        stop_signals.raise_keyboard_interrupt()
        if options["keep"] is not None and (options["folder"] or options["keep"] < 1):
            raise CommandError(
                _("--keep must be at least 1, and can't be used together with a folder.")
            )
        with one_at_a_time():
            folder = (options["folder"] or retention.new_folder()).absolute()
            create(folder)
            size = sum(file.stat().st_size for file in folder.iterdir())
            self.stdout.write(f"Backed up to {folder} ({size / 1e6:.1f} MB).")
            if options["tried"]:
                self._try(folder, rename_failed=options["keep"] is not None)
            if options["keep"] is not None:
                for removed in retention.remove_old(folder, options["keep"]):
                    self.stdout.write(f"Removed {removed}.")

    def _try(self, folder: Path, *, rename_failed: bool) -> None:
        try:
            try_restore(folder)
        except CommandError:
            if rename_failed:
                retention.mark_failed(folder)
            raise
        self.stdout.write("Restored it to a temporary site, where Redis and SQL agree.")
