"""manage.py services: the embedded Valkey alone, for `runserver`, `shell` and other commands."""

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from forum.backups.restoring import undo_what_was_cut_off
from forum.starting import moved
from forum.starting.claims import SERVICES, claimed
from forum.starting.parts import Valkey
from forum.starting.preparing import prepare
from forum.starting.supervisor import Supervisor, say
from voting.errors import EmbeddedError


class Command(BaseCommand):
    """Keeps the embedded Valkey running until Ctrl-C."""

    help = "Run the embedded Valkey alone, so that runserver, shell and other commands work."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start it, make the site ready, and wait."""
        if not settings.EMBEDDED:
            raise CommandError("REDIS_URL is set, so there is nothing to run here.")
        with claimed(settings.FORUM_DATA, by=SERVICES), Supervisor(self._say) as site:
            if undone := undo_what_was_cut_off():
                self._say(undone)
            try:
                site.add(Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC))
            except EmbeddedError as error:
                raise CommandError(str(error)) from error
            prepare()
            self._say(f"Valkey runs at {settings.REDIS_URL}. Stop it with Ctrl-C.")
            site.watch(partial(moved.refusal, settings.FORUM_DATA))

    def _say(self, sentence: str) -> None:
        say(self.stdout, sentence)
