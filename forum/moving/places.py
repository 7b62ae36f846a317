"""Where a site moves to, and its commands there: our own, in a process with the new settings."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.environment import text
from forum.store import WAITS
from voting.service import VotingService, connect

SHOWN = 5
"""Lines of what a command said that are shown where it failed."""
NAMES = ("REDIS_URL", "CACHE_URL", "DATABASE_URL")
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Started:
    """A command that runs with the new settings."""

    name: str
    process: subprocess.Popen[str]

    def tell(self, text: str) -> None:
        """Write to its standard input, and end that. Raises OSError where it has ended."""
        if self.process.stdin:
            self.process.stdin.write(text)
            self.process.stdin.close()

    def finish(self) -> None:
        """Wait for its end. Raises CommandError where it failed; why is on the terminal."""
        said = self.process.stdout.read().strip() if self.process.stdout else ""
        if self.process.wait():
            sentence = _("`manage.py %(command)s` failed with the new settings. %(why)s")
            why = "\n".join(said.splitlines()[-SHOWN:])
            raise CommandError(sentence % {"command": self.name, "why": why})


@dataclass(frozen=True, slots=True)
class Places:
    """Addresses; an empty one says that this part stays where it is."""

    redis: str = ""
    cache: str = ""
    database: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """The settings to start with from now on."""
        named = zip(NAMES, (self.redis, self.cache, self.database), strict=True)
        return {name: address for name, address in named if address}

    def voting(self) -> VotingService:
        """Return voting on the new Redis. No round trip."""
        return connect(self.redis, settings.VOTING_RULES, timeout=WAITS)

    def run(self, *arguments: str, more: Mapping[str, str] = NOTHING) -> None:
        """Run a command of ours with the new settings, and `more` in the environment.

        Its progress goes to our terminal. Raises CommandError where it fails.
        """
        with self.started(*arguments, more=more) as command:
            command.finish()

    @contextmanager
    def started(self, *arguments: str, more: Mapping[str, str] = NOTHING) -> Iterator[Started]:
        """Start a command of ours with the new settings; it is gone when the block ends."""
        process = subprocess.Popen(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments],
            env=self._environment(more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                yield Started(arguments[0], process)
            finally:
                process.kill()

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {"FORUM_DATA": str(settings.FORUM_DATA), "DJANGO_SETTINGS_MODULE": "forum.settings"}
        return {**os.environ, **kept, **self.settings, **more}


def places_in(file: Path) -> Places:
    """Return the addresses in a file with settings, as /etc/rostra.env is written; what the site
    has already stays where it is. Raises OSError and UnicodeError.
    """
    lines = (line.partition("=") for line in file.read_text().splitlines())
    written = {name.strip(): address.strip().strip("\"'") for name, _sign, address in lines}
    redis, cache, database = (
        address if (address := written.get(name, "")) != text(name) else "" for name in NAMES
    )
    return Places(redis, cache, database)


def sqlite_address(file: os.PathLike[str]) -> str:
    """Return a file of SQLite as DATABASE_URL spells it."""
    return f"sqlite:///{quote(os.fspath(file))}"
