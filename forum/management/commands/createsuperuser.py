"""manage.py createsuperuser: Django's own, with the names that sign-up gives."""

from typing import Any

from django.contrib.auth.management.commands.createsuperuser import Command as Base
from django.core.exceptions import ValidationError

from forum.models import User
from forum.text import usernames


class Command(Base):
    """Makes somebody who runs the site. A name can't be changed later, so it is looked at now."""

    def _validate_username(
        self, username: str, verbose_field_name: str, database: str
    ) -> str | None:
        """Return what is wrong with a name, or None."""
        refusal: Any = super()._validate_username(  # type: ignore[misc]
            username, verbose_field_name, database
        )
        if refusal:
            return str(refusal)
        try:
            usernames.check(username)
        except ValidationError as wrong:
            return "; ".join(wrong.messages)
        if User.objects.using(database).filter(username__iexact=username).exists():
            return "Somebody has that name already, with other capital letters."
        return None
