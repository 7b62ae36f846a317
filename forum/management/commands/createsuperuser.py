"""manage.py createsuperuser: Django's command, with the sign-up page's rules for user names.

Unlike at sign-up, names of roles such as "admin" are allowed.
"""

import os
from typing import Any

from django.contrib.auth.management.commands.createsuperuser import Command as Base
from django.core.management import CommandError

from forum.actions import renames
from forum.errors import Invalid
from forum.models import User


class Command(Base):
    """Creates a superuser, whose votes count at once.

    User names can't be changed soon, so the name is checked first.
    """

    name: str | None = None

    def handle(self, *args: Any, **options: Any) -> None:
        """Create a superuser. Raises CommandError if the user name isn't allowed."""
        self.name = options["username"] or os.environ.get("DJANGO_SUPERUSER_USERNAME")
        if self.name and (problem := _problem(self.name)):
            raise CommandError(problem)
        super().handle(*args, **options)
        User.objects.filter(username=self.name).update(counts_at_once=True)

    def get_input_data(self, field: Any, message: str, default: Any = None) -> Any:
        """Ask for a value. If the value isn't allowed, print the reason and return None."""
        given = super().get_input_data(field, message, default)
        if given and field.name == User.USERNAME_FIELD:
            if problem := _problem(given):
                self.stderr.write(f"Error: {problem}")
                return None
            self.name = given
        return given


def _problem(name: str) -> str | None:
    """Return why a user name isn't allowed; None if it is allowed."""
    if User.objects.filter(username__iexact=name).exists():
        return "Someone already has this name. Upper and lower case count as the same."
    try:
        renames.require_free(name, may_be_official=True)
    except Invalid as error:
        return str(error)
    return None
