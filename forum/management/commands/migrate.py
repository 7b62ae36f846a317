"""manage.py migrate: Django's command, run by only one process at a time on PostgreSQL."""

from typing import Any

from django.core.management.commands.migrate import Command as Base

from forum.config.postgresql.advisory_lock import setup_lock


class Command(Base):
    """Migrate under a lock: a second process waits until the first has finished."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Wait until no other process migrates, then migrate."""
        with setup_lock():
            super().handle(*args, **options)
