"""manage.py services: the embedded Valkey alone, for `runserver`, `shell` and other commands."""

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from forum.operations.backups.restore import undo_interrupted_restore
from forum.operations.moving import moved_note
from forum.operations.supervision.children import Valkey
from forum.operations.supervision.claims import SERVICES, claimed
from forum.operations.supervision.prepare import prepare
from forum.operations.supervision.supervisor import Supervisor, say
from voting.errors import EmbeddedError


class Command(BaseCommand):
    """Keeps the embedded Valkey running until Ctrl-C."""

    help = "Run the embedded Valkey alone, so that runserver, shell and other commands work."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start it, make the site ready, and wait."""
        if not settings.EMBEDDED:
            raise CommandError("REDIS_URL is set, so there is nothing to run here.")
        with claimed(settings.FORUM_DATA, by=SERVICES), Supervisor(self._say) as site:
            if undone := undo_interrupted_restore():
                self._say(undone)
            try:
                site.add(Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC))
            except EmbeddedError as error:
                raise CommandError(str(error)) from error
            prepare()
            self._say(f"Valkey runs at {settings.REDIS_URL}. Stop it with Ctrl-C.")
            site.watch(partial(moved_note.refusal, settings.FORUM_DATA))

    def _say(self, sentence: str) -> None:
        say(self.stdout, sentence)
