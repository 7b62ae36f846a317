"""manage.py export: write the whole site to JSON lines, while it runs."""

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from tqdm import tqdm

from forum.ledger import activity, counters
from forum.ledger.archiver import archive_waiting
from forum.management.base import StoreCommand
from forum.models import OutboxItem
from forum.operations.backups.create import one_at_a_time
from forum.operations.exporting.writing import count_rows, export
from voting.errors import StoreEmpty

OUTBOX_SECONDS = 30.0
"""How long to wait until the worker has delivered the outbox of a read-only site."""
POLL_SECONDS = 0.2


class Command(StoreCommand):
    """Export the site."""

    help = (
        "Export the whole site as JSON lines to a new folder, while the site runs. The files have"
        " everything that people wrote, and their password hashes: keep them private."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the argument: the folder."""
        parser.add_argument("folder", type=Path, help="a new folder")

    def handle(self, *args: Any, **options: Any) -> None:
        """Archive what only Redis has, then export, with a progress bar on a terminal.

        On a read-only site, nothing may be missing, so first wait for the worker.
        """
        folder = options["folder"].absolute()
        with one_at_a_time(), tqdm(total=count_rows(), unit="rows", disable=None) as bar:
            with suppress(StoreEmpty):
                archive_waiting()
                counters.archive_views()
                activity.archive_recent()
            if settings.READ_ONLY:
                _wait_for_outbox()
            rows = export(folder, bar.update)
        self.stdout.write(f"Exported {rows} rows to {folder}.")


def _wait_for_outbox() -> None:
    """Wait until the outbox is empty, because an export leaves it out.

    Raises CommandError if the worker needs longer than `OUTBOX_SECONDS`.
    """
    deadline = monotonic() + OUTBOX_SECONDS
    while waiting := OutboxItem.objects.filter(failed_at=None).count():
        if monotonic() > deadline:
            raise CommandError(
                f"Not exported: {waiting} changes, such as notifications, merges or emails, wait"
                " for the worker. Let it run until rostra_outbox_waiting and rostra_mail_waiting in"
                " /metrics are 0."
            )
        sleep(POLL_SECONDS)
