"""The Redis and PostgreSQL that a site moves to, and our own commands run there."""

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
"""Last lines of output that are shown if a command fails."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Addresses of the destination; an empty one means that this part does not move."""

    redis: str = ""
    cache: str = ""
    database: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """The settings to start the moved site with."""
        addresses = zip(NAMES, (self.redis, self.cache, self.database), strict=True)
        return {name: address for name, address in addresses if address}

    def voting(self) -> VotingService:
        """Return the voting service on the new Redis. No round trip."""
        return connect(self.redis, settings.VOTING_RULES, timeout=WAITS)

    def run(self, *arguments: str) -> None:
        """Run one of our commands with the new settings; its progress bar goes to our terminal.

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
    """Read the destination from a file with settings, as /etc/rostra.env is written.

    Addresses that the site already uses do not move. Raises OSError and UnicodeError.
    """
    lines = (line.partition("=") for line in file.read_text().splitlines())
    written = {name.strip(): address.strip().strip("\"'") for name, _sign, address in lines}
    redis, cache, database = (
        address if (address := written.get(name, "")) != text(name) else "" for name in NAMES
    )
    return Destination(redis, cache, database)
