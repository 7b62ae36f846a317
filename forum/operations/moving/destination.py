"""The new Redis and PostgreSQL servers of a site, and commands that use these servers."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError

from forum.config.environment import text
from forum.gateway.service import WAITS
from voting.service import VotingService, connect

NAMES = ("REDIS_URL", "CACHE_URL", "DATABASE_URL")
SHOWN_LINES = 5
"""How many lines of a failed command's output to show, from the end."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The URLs of the new servers; "" for a server that stays the same."""

    redis: str = ""
    cache: str = ""
    database: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings that the moved site needs."""
        addresses = zip(NAMES, (self.redis, self.cache, self.database), strict=True)
        return {name: address for name, address in addresses if address}

    def voting(self) -> VotingService:
        """Return a voting service that uses the new Redis. No round trip."""
        return connect(self.redis, settings.VOTING_RULES, timeout=WAITS)

    def run(self, *arguments: str) -> None:
        """Run a `manage.py` command with the new settings, and show its progress bar.

        Raises CommandError if the command fails.
        """
        here = {"FORUM_DATA": str(settings.FORUM_DATA), "DJANGO_SETTINGS_MODULE": "forum.settings"}
        done = subprocess.run(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments],
            env={**os.environ, **here, **self.settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            output = "\n".join(done.stdout.strip().splitlines()[-SHOWN_LINES:])
            raise CommandError(f"`manage.py {arguments[0]}` failed with the new settings. {output}")


def read_destination(file: Path) -> Destination:
    """Read the URLs of the new servers from a file of settings, in the format of rostra.env.

    If the site already uses one of these servers, the result has "" instead of the server's URL.
    Raises OSError or UnicodeError if the file can't be read.
    """
    lines = (line.partition("=") for line in file.read_text().splitlines())
    written = {name.strip(): address.strip().strip("\"'") for name, _sign, address in lines}
    redis, cache, database = (
        address if (address := written.get(name, "")) != text(name) else "" for name in NAMES
    )
    return Destination(redis, cache, database)
