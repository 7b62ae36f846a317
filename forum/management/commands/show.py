"""manage.py show: what Redis holds."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from forum.management.base import StoreCommand
from forum.operations.repair import inspect


class Command(StoreCommand):
    """Prints what Redis holds of the site, or of a post, person or group."""

    help = "Show what Redis holds: of the site, or of post:ID, user:NAME or group:NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", nargs="?", default="", help="post:ID, user:NAME, group:NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each thing."""
        try:
            found = list(inspect.lines(options["subject"]))
        except LookupError as error:
            raise CommandError(str(error)) from error
        width = max(len(label) for label, _value in found)
        for label, value in found:
            self.stdout.write(f"{label.replace('_', ' '):<{width}}  {value}")
