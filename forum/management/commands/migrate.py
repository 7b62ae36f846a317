"""manage.py migrate: Django's own, one at a time on a shared PostgreSQL."""

from typing import Any

from django.core.management.commands.migrate import Command as Base

from forum.config.postgresql.advisory_lock import alone


class Command(Base):
    """Brings tables up to date; a second one waits, and then finds nothing left to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while nobody else does."""
        with alone():
            super().handle(*args, **options)
