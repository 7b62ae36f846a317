"""manage.py shell: Django's command, with a warning if Redis isn't running."""

from typing import Any

from django.core.management.commands.shell import Command as Base

from forum.management.base import warn_if_unavailable


class Command(Base):
    """Open a Python prompt with the models imported."""

    def handle(self, **options: Any) -> None:
        """Warn if Redis isn't running, and open the shell."""
        warn_if_unavailable(self)
        super().handle(**options)
