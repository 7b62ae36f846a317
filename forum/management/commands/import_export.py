"""manage.py import_export: load an export into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils.translation import gettext_lazy as _
from tqdm import tqdm

from forum.config import encryption
from forum.management.base import StoreCommand
from forum.models import Group, Post, User
from forum.operations import factor_keys
from forum.operations.backups import erased, sql_dump
from forum.operations.backups.restore import redis_is_empty
from forum.operations.exporting.loading import load, read_description
from forum.operations.supervision import stop_signals
from forum.operations.supervision.claims import IMPORT, claimed

NOT_EMPTY = _(
    "Nothing was changed, because there is already a site. FORUM_DATA must be empty. If you use"
    " your own database or Redis, they must be empty, too."
)


class Command(StoreCommand):
    """Load an export."""

    help = (
        "Load a folder that `manage.py export` wrote into a new site. If the command fails, the"
        " database stays empty. `import_posts` loads posts from a CSV file instead."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the argument: the folder."""
        parser.add_argument("folder", type=Path, help="the folder that `manage.py export` wrote")
        factor_keys.add_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the export and load it, with a progress bar on a terminal."""
        stop_signals.raise_keyboard_interrupt()
        folder = options["folder"].absolute()
        description = read_description(folder)
        if not options["turn_off_factors"]:
            factor_keys.require(description.get("factor_keys", ()), encryption.secrets())
        total = sum(file["rows"] for file in description["files"].values())
        with claimed(settings.FORUM_DATA, by=IMPORT):
            if not _is_empty():
                raise CommandError(NOT_EMPTY)
            call_command("migrate", interactive=False, verbosity=0)
            with tqdm(total=total, unit="rows", disable=None) as bar:
                load(folder, bar.update)
            if options["turn_off_factors"]:
                factor_keys.remove_unreadable(encryption.secrets())
            factor_keys.renew()
            erased.erase_again(folder)
        if sentence := erased.warning(folder):
            self.stderr.write(self.style.WARNING(sentence))
        self.stdout.write(
            f"Loaded {total} rows with {Post.objects.count()} posts. Start the site with"
            " `python3 manage.py up`: it fills Redis."
        )


def _is_empty() -> bool:
    """Return True if neither SQL nor Redis contains a site.

    Empty tables in SQL don't count, because a failed import leaves such tables.
    """
    has_rows = not sql_dump.is_empty() and any(
        model.objects.exists() for model in (User, Group, Post)
    )
    return not has_rows and redis_is_empty()
