"""Base classes of the site's commands.

If Redis or SQL is down, these commands print a message without a traceback.
"""

import os
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.db import OperationalError

from forum import __version__
from forum.ledger.archiver import Refused
from forum.operations.repair.rebuild_lease import LeaseTaken
from forum.operations.repair.scope import InvalidScope
from forum.store.service import PATIENCE, WAITS, get_voting_service
from voting.errors import StoreEmpty, StoreUnavailable


def remedy(error: StoreUnavailable) -> str:
    """Return advice for the terminal if Redis is down, empty or being rebuilt."""
    if isinstance(error, LeaseTaken):
        return f"Not done: {error}. To rebuild Redis again, run `python3 manage.py rebuild_voting`."
    if isinstance(error, StoreEmpty):
        return "Redis is empty: `python3 manage.py rebuild_voting` fills it from SQL."
    if settings.EMBEDDED:
        return (
            "Redis does not respond: start the site with `python3 manage.py up`, "
            "or Redis alone with `python3 manage.py services`."
        )
    return f"The Redis of REDIS_URL does not respond ({error})."


class SiteCommand(BaseCommand):
    """A command of the site. `--version` prints Rostra's version, not Django's."""

    def get_version(self) -> str:
        return __version__


class StoreCommand(SiteCommand):
    """A command that needs Redis and SQL."""

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command from a terminal, with a longer wait for Redis than in web processes."""
        os.environ.setdefault(PATIENCE, str(WAITS))
        super().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command.

        Raises CommandError if Redis or SQL is down, or if a post or comment in the arguments
        doesn't exist.
        """
        try:
            return super().execute(*args, **options)
        except StoreUnavailable as error:
            raise CommandError(remedy(error)) from error
        except InvalidScope as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            raise CommandError(f"The SQL database is unavailable: {error}") from error
        except Refused as error:
            raise CommandError(
                "Not done: SQL refuses a vote that isn't archived yet, and votes after it would be"
                f" lost. The worker's log names the entry before that vote: {error}"
            ) from error


def warn_if_unavailable(command: BaseCommand) -> None:
    """Print a warning if Redis is down. Call this if the command also works without Redis."""
    try:
        get_voting_service().maintenance.generations.current()
    except StoreUnavailable as error:
        command.stderr.write(command.style.WARNING(remedy(error)))
