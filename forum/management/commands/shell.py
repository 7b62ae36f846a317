"""manage.py shell: Django's own, which says so where Redis is not running."""

from typing import Any

from django.core.management.commands.shell import Command as Base

from forum.management.base import warn_if_away


class Command(Base):
    """A Python with the models at hand."""

    def handle(self, **options: Any) -> None:
        """Open the shell, after a look at Redis."""
        warn_if_away(self)
        super().handle(**options)
