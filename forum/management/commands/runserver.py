"""manage.py runserver: Django's own, which says so where Redis is not running."""

from typing import Any

from whitenoise.runserver_nostatic.management.commands.runserver import Command as Base

from forum.management.base import warn_if_away


class Command(Base):
    """Serves pages for developers; they come without votes until Redis runs."""

    def inner_run(self, *args: Any, **options: Any) -> None:
        """Serve, after a look at Redis."""
        warn_if_away(self)
        super().inner_run(*args, **options)
