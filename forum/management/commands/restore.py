"""manage.py restore: restore a site from a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.utils.translation import gettext_lazy as _

from forum.management.base import StoreCommand
from forum.operations import factor_keys
from forum.operations.backups import erased
from forum.operations.backups.restore import restore
from forum.operations.supervision import stop_signals

STOPPED = _("The restore was interrupted. The site's files are unchanged. Restore again.")


class Command(StoreCommand):
    """Replace the site's SQL and Redis with a backup."""

    help = "Restore the site from a backup. The site must not be running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments: the folder and the options."""
        parser.add_argument("folder", type=Path, help="the folder that `manage.py backup` wrote")
        parser.add_argument(
            "--force",
            action="store_true",
            help="replace the site; its files are renamed",
        )
        parser.add_argument(
            "--deep",
            action="store_true",
            help="also replay the ledger and compare the votes",
        )
        factor_keys.add_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore the backup."""
        folder = options["folder"].absolute()
        stop_signals.raise_keyboard_interrupt()
        try:
            posts = restore(
                folder,
                force=options["force"],
                deep=options["deep"],
                turn_off_factors=options["turn_off_factors"],
            )
        except KeyboardInterrupt as error:
            raise CommandError(STOPPED) from error
        if sentence := erased.warning(folder):
            self.stderr.write(self.style.WARNING(sentence))
        self.stdout.write(
            f"Restored {posts} posts; Redis and SQL agree. Start the site with "
            "`python3 manage.py up`."
        )
