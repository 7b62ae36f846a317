"""manage.py migrate: Django's command, which only one process at a time runs on PostgreSQL."""

from typing import Any

from django.core.management.commands.migrate import Command as Base

from forum.config.postgresql.advisory_lock import setup_lock


class Command(Base):
    """Migrate the SQL database, after waiting for other processes that migrate it."""

    def handle(self, *args: Any, **options: Any) -> None:
        with setup_lock():
            super().handle(*args, **options)
