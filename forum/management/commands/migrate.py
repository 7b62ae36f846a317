"""manage.py migrate: Django's command, which only one process at a time runs on PostgreSQL."""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as Base

from forum.config import encryption
from forum.config.postgresql.advisory_lock import setup_lock
from forum.operations import factor_keys


class Command(Base):
    """Migrate the SQL database, after waiting for other processes that migrate it.

    Then encrypt second factors with the current SECRET_KEY, if they aren't.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the arguments: Django's, and those for second factors."""
        super().add_arguments(parser)
        factor_keys.add_option(parser)
        parser.add_argument("--keep-factors", action="store_true", help="don't encrypt factors")

    def handle(self, *args: Any, **options: Any) -> None:
        with setup_lock():
            super().handle(*args, **options)
            if options["turn_off_factors"]:
                for name in factor_keys.remove_unreadable(encryption.secrets()):
                    self.stdout.write(f"Removed second factors of {name}.")
            if not options["keep_factors"]:
                factor_keys.renew()
