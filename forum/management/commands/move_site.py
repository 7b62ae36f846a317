"""manage.py move_site: from one machine to Redis and PostgreSQL of their own."""

import sys
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import Error as DatabaseError
from django.utils.translation import gettext as _

from forum.management.base import StoreCommand
from forum.moving.arriving import arrive
from forum.moving.moving import move
from forum.moving.places import Places, places_in
from forum.starting import moved, stopping
from voting.errors import EmbeddedError, StoreUnavailable

FAILURES = (CommandError, StoreUnavailable, DatabaseError, EmbeddedError, OSError, UnicodeError)


class Command(StoreCommand):
    """Copies the site while it is used, lets it rest for the end of it, and ends it."""

    help = (
        "Move the site to a Redis and a PostgreSQL of their own (either may be left out), while it"
        " is used. May be repeated where it was stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the addresses."""
        parser.add_argument(
            "--to",
            type=Path,
            metavar="FILE",
            help="a file with lines REDIS_URL=..., CACHE_URL=..., DATABASE_URL=..., in place of the"
            " options below: those others on this machine can see while this runs",
        )
        parser.add_argument("--redis", default="", metavar="URL", help="as REDIS_URL")
        parser.add_argument("--cache", default="", metavar="URL", help="as CACHE_URL")
        parser.add_argument("--database", default="", metavar="URL", help="as DATABASE_URL")
        parser.add_argument("--arrive", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        """Move, or do the part of it that belongs to the new settings."""
        if options["arrive"]:
            arrive(sys.stdin.read())
            return
        stopping.heed()
        try:
            places = _places(options)
            paused = move(places, self._say)
        except FAILURES as error:
            raise CommandError(_stopped(str(error).strip())) from error
        except KeyboardInterrupt as error:
            raise CommandError(_stopped("")) from error
        self._tell(places, paused)

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()

    def _tell(self, places: Places, paused: float) -> None:
        self._say(self.style.SUCCESS(_("Moved: nobody could write for %.1f seconds.") % paused))
        self._say(_("The old site has ended. Start it with these settings:"))
        for name, address in places.settings.items():
            self._say(f"  {name}={address}")
        self._say(
            _(
                "SECRET_KEY stays as it is, or everybody must log in again: where it is not set, it"
                " is in %(folder)s/secret-key."
            )
            % {"folder": settings.FORUM_DATA}
        )
        self._say(
            _(
                "What was here is still in %(folder)s, until you delete it. To go back to it,"
                " without anything newer, delete %(note)s and start without those settings."
            )
            % {"folder": settings.FORUM_DATA, "note": moved.NOTE}
        )


def _places(options: dict[str, Any]) -> Places:
    """Return where to. Raises OSError or UnicodeError where the file of it can't be read."""
    if options["to"]:
        return places_in(options["to"])
    return Places(options["redis"], options["cache"], options["database"])


def _stopped(why: str) -> str:
    """Return what somebody needs to know whose move did not end well."""
    sentence = _("Not moved. The site is as it was; the same command may be repeated.")
    return f"{why}\n{sentence}" if why else sentence
