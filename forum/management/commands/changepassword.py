"""manage.py changepassword: Django's command, which also revokes tokens and private feeds."""

from getpass import getuser
from typing import Any

from django.contrib.auth.management.commands.changepassword import Command as Base

from forum.actions import credentials
from forum.models import User


class Command(Base):
    """Changes a person's password. Whoever knew the old one may have made tokens."""

    def handle(self, *args: Any, **options: Any) -> str:
        """Ask for the new password, save it, and revoke the person's tokens and private feeds."""
        options["username"] = options["username"] or getuser()
        done = str(super().handle(*args, **options))
        credentials.revoke_all(User.objects.get(username=options["username"]))
        return done
