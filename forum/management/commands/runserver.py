"""manage.py runserver: Django's own, which says so where Redis is not running.

As on a site, pages name collected static files where DEBUG is off: `up` may never have run here.
"""

from typing import Any

from django.conf import settings
from whitenoise.runserver_nostatic.management.commands.runserver import Command as Base

from forum.management.base import warn_if_away
from forum.operations.supervision.static_files import collect_static


class Command(Base):
    """Serves pages for developers; they come without votes until Redis runs."""

    def inner_run(self, *args: Any, **options: Any) -> None:
        """Serve, after a look at Redis and at static files."""
        warn_if_away(self)
        if not settings.DEBUG:
            collect_static()
        super().inner_run(*args, **options)
