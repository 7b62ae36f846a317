"""In production, refuses the accounts whose passwords are published with the demo.

`AccountAdapter` refuses the log-in, the middleware in `authentication` the session, and
`viewers.viewer_of` API tokens and private feeds. As soon as the account has a new password, it
works again.
"""

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from forum.models import User
from forum.models.published_passwords import PUBLISHED_PASSWORDS


def refusal(username: str) -> str:
    """Return the sentences that say why an account is refused, and how to mend it."""
    sentence = _(
        "Everybody knows the password of %(name)s, because it is published with Rostra's demo, so"
        " nobody can use this account here. Set a new password with `manage.py changepassword"
        " %(name)s`, or reset it by email."
    )
    return sentence % {"name": username}


def is_refused(user: User) -> bool:
    """Return whether nobody may use an account until it has a new password."""
    return settings.PRODUCTION and user.has_published_password


class PublishedPasswordValidator:
    """Forbids people to choose a published password."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise ValidationError if the password is published."""
        if password in PUBLISHED_PASSWORDS:
            raise ValidationError(self.get_help_text())

    def get_help_text(self) -> str:
        return _("Your password can't be a password of Rostra's demo, which everybody knows.")
