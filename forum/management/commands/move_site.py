"""manage.py move_site: move a site to a separate Redis server, a PostgreSQL server, or both."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import Error as DatabaseError

from forum.management.base import StoreCommand
from forum.operations.moving import moved_note
from forum.operations.moving.destination import Destination, read_destination
from forum.operations.moving.move import move
from forum.operations.supervision import stop_signals
from voting.errors import EmbeddedError, StoreUnavailable

FAILURES = (CommandError, StoreUnavailable, DatabaseError, EmbeddedError, OSError, UnicodeError)
NOT_MOVED = "Not moved. The site is unchanged. You can run the same command again."


class Command(StoreCommand):
    """Make the site read-only, copy it to the new servers, and stop the old site."""

    help = (
        "Move the site from the embedded Valkey to your own Redis, from SQLite to PostgreSQL, or"
        " both. The site is read-only for some minutes. If the command fails, you can run it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the options for the addresses of the new servers."""
        parser.add_argument(
            "--to",
            type=Path,
            metavar="FILE",
            help="a file with lines REDIS_URL=..., CACHE_URL=..., DATABASE_URL=... Use it instead"
            " of the options below, because other users of this machine can see options",
        )
        parser.add_argument("--redis", default="", metavar="URL", help="as REDIS_URL")
        parser.add_argument("--cache", default="", metavar="URL", help="as CACHE_URL")
        parser.add_argument("--database", default="", metavar="URL", help="as DATABASE_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Move the site and print how to start it."""
        stop_signals.raise_keyboard_interrupt()
        try:
            destination = (
                read_destination(options["to"])
                if options["to"]
                else Destination(options["redis"], options["cache"], options["database"])
            )
            seconds = move(destination, self._say)
        except FAILURES as error:
            raise CommandError(f"{error}\n{NOT_MOVED}") from error
        except KeyboardInterrupt as error:
            raise CommandError(NOT_MOVED) from error
        self._say(self.style.SUCCESS(f"Moved: the site was read-only for {seconds:.0f} seconds."))
        self._say("The old site has ended. Start it with these settings:")
        for name, address in destination.settings.items():
            self._say(f"  {name}={address}")
        self._say(
            "Keep SECRET_KEY, or everybody must log in again: if you haven't set it, it is in"
            f" {settings.FORUM_DATA}/secret-key."
        )
        self._say(
            f"The old data is still in {settings.FORUM_DATA} until you delete it. To go back to it,"
            f" delete {moved_note.NOTE} and start without those settings. Anything"
            " newer is then missing."
        )

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()
