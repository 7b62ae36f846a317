"""manage.py runserver: Django's command, with a warning if Redis isn't running.

Also collects static files, because pages need the collected files if DEBUG is off.
"""

from typing import Any

from django.conf import settings
from whitenoise.runserver_nostatic.management.commands.runserver import Command as Base

from forum.management.base import warn_if_unavailable
from forum.operations.supervision.static_files import collect_static


class Command(Base):
    """Serve pages for developers. Votes work only while Redis is running."""

    def inner_run(self, *args: Any, **options: Any) -> None:
        """Check Redis, collect static files and serve."""
        warn_if_unavailable(self)
        if not settings.DEBUG:
            collect_static()
        super().inner_run(*args, **options)
