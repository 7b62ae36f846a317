"""manage.py show: print what Redis stores."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from forum.management.base import StoreCommand
from forum.operations.repair import inspect


class Command(StoreCommand):
    """Print what Redis stores about the site, or about one post, person or group."""

    help = "Print what Redis stores about the site, or about post:ID, user:NAME or group:NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", nargs="?", default="", help="post:ID, user:NAME, group:NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what Redis stores about the subject: one line for each value."""
        try:
            lines = list(inspect.lines(options["subject"]))
        except LookupError as error:
            raise CommandError(str(error)) from error
        width = max(len(label) for label, _value in lines)
        for label, value in lines:
            self.stdout.write(f"{label.replace('_', ' '):<{width}}  {value}")
