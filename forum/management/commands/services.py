"""manage.py services: run only the embedded Valkey, for use with `runserver` or `shell`."""

from typing import Any

from django.conf import settings
from django.core.management import CommandError

from forum.management.base import SiteCommand
from forum.operations.supervision.children import Valkey
from forum.operations.supervision.claims import SERVICES, claimed
from forum.operations.supervision.prepare import prepare
from forum.operations.supervision.supervisor import Supervisor, write_line
from voting.errors import EmbeddedError


class Command(SiteCommand):
    """Run the embedded Valkey until Ctrl-C."""

    help = "Run only the embedded Valkey, so that runserver, shell and other commands work."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start Valkey, prepare the site, and wait for Ctrl-C."""
        if not settings.EMBEDDED:
            raise CommandError("REDIS_URL is set, so there is nothing to run.")
        with claimed(settings.FORUM_DATA, by=SERVICES), Supervisor(self._say) as site:
            try:
                site.add(Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC))
            except EmbeddedError as error:
                raise CommandError(str(error)) from error
            prepare()
            self._say(f"Valkey is running at {settings.REDIS_URL}. Stop it with Ctrl-C.")
            site.watch()

    def _say(self, sentence: str) -> None:
        write_line(self.stdout, sentence)
