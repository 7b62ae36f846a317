"""manage.py migrate: Django's command, one at a time on a shared PostgreSQL."""

from typing import Any

from django.core.management.commands.migrate import Command as Base

from forum.config.postgresql.advisory_lock import setup_lock


class Command(Base):
    """Migrate under a lock: a second process waits and then finds nothing to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while no other process does."""
        with setup_lock():
            super().handle(*args, **options)
