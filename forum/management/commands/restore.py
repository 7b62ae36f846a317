"""manage.py restore: a site from a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.utils.translation import gettext_lazy as _

from forum.management.base import StoreCommand
from forum.operations.backups.restore import restore
from forum.operations.supervision import stop_signals

STOPPED = _(
    "Stopped before all was back. Bring it back again; files that were there before are there."
)


class Command(StoreCommand):
    """Brings SQL and Redis back from a folder that `backup` wrote."""

    help = "Bring the site back from a backup. It must not run meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path, help="the folder that `manage.py backup` wrote")
        parser.add_argument(
            "--force", action="store_true", help="replace the site that is there; it is put aside"
        )
        parser.add_argument(
            "--deep", action="store_true", help="replay the ledger too: it must lead to the votes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore."""
        folder = options["folder"].absolute()
        stop_signals.heed()
        try:
            posts = restore(folder, force=options["force"], deep=options["deep"])
        except KeyboardInterrupt as error:
            raise CommandError(STOPPED) from error
        self.stdout.write(
            f"Brought back {posts} posts; Redis and SQL agree. Start the site with "
            "`python3 manage.py up`."
        )
