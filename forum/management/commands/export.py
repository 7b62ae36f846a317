"""manage.py export: write the whole site to JSON lines, while it runs."""

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from forum.ledger.archiver import archive_waiting
from forum.management.base import StoreCommand
from forum.operations.backups.create import one_at_a_time
from forum.operations.exporting.writing import count_rows, export
from voting.errors import StoreEmpty


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
        """Archive the votes that only Redis has, then export, with a progress bar on a terminal."""
        folder = options["folder"].absolute()
        with one_at_a_time(), tqdm(total=count_rows(), unit="rows", disable=None) as bar:
            with suppress(StoreEmpty):
                archive_waiting()
            rows = export(folder, bar.update)
        self.stdout.write(f"Exported {rows} rows to {folder}.")
