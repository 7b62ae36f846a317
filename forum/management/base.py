"""What our commands share: a sentence instead of a traceback where Redis or SQL is away."""

import os
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.db import OperationalError

from forum.gateway.service import PATIENCE, WAITS, get_voting_service
from forum.ledger.archiver import Refused
from forum.operations.repair.rebuild_lease import Taken
from forum.operations.repair.scope import Unreadable
from voting.errors import StoreEmpty, StoreUnavailable


def remedy(error: StoreUnavailable) -> str:
    """Return what a person at the terminal can do about Redis being away, or somebody else's."""
    if isinstance(error, Taken):
        return f"Not done: {error}. `python3 manage.py rebuild_voting` fills it once more."
    if isinstance(error, StoreEmpty):
        return "Redis is empty: `python3 manage.py rebuild_voting` fills it from SQL."
    if settings.EMBEDDED:
        return (
            "Redis does not answer: start the site with `python3 manage.py up`, "
            "or Redis alone with `python3 manage.py services`."
        )
    return f"The Redis of REDIS_URL does not answer ({error})."


class StoreCommand(BaseCommand):
    """A command that needs Redis and SQL."""

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command from a terminal: a slow moment of Redis does not end it."""
        os.environ.setdefault(PATIENCE, str(WAITS))
        super().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises CommandError where Redis is away, or SQL, or what to look at is
        nothing that there is.
        """
        try:
            return super().execute(*args, **options)
        except StoreUnavailable as error:
            raise CommandError(remedy(error)) from error
        except Unreadable as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            raise CommandError(f"The SQL database does not do its work: {error}") from error
        except Refused as error:
            raise CommandError(
                "Not done: SQL refuses a vote that waits in Redis, and those behind it would be"
                f" lost. The worker's log says after which entry it stands: {error}"
            ) from error


def warn_if_away(command: BaseCommand) -> None:
    """Say at the start of a command that can do without Redis what to start."""
    try:
        get_voting_service().maintenance.generations.current()
    except StoreUnavailable as error:
        command.stderr.write(command.style.WARNING(remedy(error)))
