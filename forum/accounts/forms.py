"""Accounts: the library's forms in the site's words."""

from collections.abc import Mapping
from typing import Any, ClassVar

from allauth.account import forms as account_forms
from allauth.mfa.base import forms as factor_forms
from allauth.mfa.totp import forms as app_forms
from django import forms
from django.contrib.auth.password_validation import (
    MinimumLengthValidator,
    get_default_password_validators,
)
from django.utils.translation import gettext_lazy as _

from forum.text import usernames

NEW_PASSWORD = {"password1": _("New password"), "password2": _("New password, again")}
PASSWORD_HELP = _(
    "At least %(least)d characters, not only digits. Nothing common, and not like your name."
)


class _Plain(forms.Form):
    """No placeholders: labels say it already, and stay when one types."""

    labels: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
        if "password1" in self.fields:
            self.fields["password1"].help_text = PASSWORD_HELP % {"least": _shortest_password()}


def _shortest_password() -> int:
    """Return how many characters the settings ask of a password."""
    checks = get_default_password_validators()
    return max(check.min_length for check in checks if isinstance(check, MinimumLengthValidator))


class LoginForm(_Plain, account_forms.LoginForm):
    """Log in by name or email."""

    labels: ClassVar = {
        "login": _("User name or email"),
        "remember": _("Stay logged in on this device"),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        login = self.fields["login"]
        login.widget.attrs |= {
            "autocomplete": "username",
            "autocapitalize": "none",
            "spellcheck": "false",
        }
        self.fields["remember"].initial = True


class SignupForm(_Plain, account_forms.SignupForm):
    """A name, one password, and an email address where the site asks for it."""

    labels: ClassVar = {"username": _("User name")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.help_text = _("Everybody sees it, and it can't be changed later.")
        name.widget.attrs |= {
            "maxlength": usernames.LONGEST,
            "autocapitalize": "none",
            "spellcheck": "false",
        }
        self.fields["email"].help_text = _(
            "For a forgotten password and for mail that you ask for. Nobody sees it."
        )

    def full_clean(self) -> None:
        """Check what was sent; where it comes back, the password does not, and that is said."""
        super().full_clean()
        if self.errors and "password1" not in self.errors:
            again = _("Write it once more: a password is never sent back.")
            self["password1"].help_text = again


class AddEmailForm(_Plain, account_forms.AddEmailForm):
    """One more address."""


class ReauthenticateForm(_Plain, account_forms.ReauthenticateForm):
    """The password once more, before what matters."""


class ChangePasswordForm(_Plain, account_forms.ChangePasswordForm):
    """A new password for who knows the old one."""

    labels: ClassVar = NEW_PASSWORD | {"oldpassword": _("Current password")}


class ResetPasswordForm(_Plain, account_forms.ResetPasswordForm):
    """Where to send the link to who forgot their password."""


class ResetPasswordKeyForm(_Plain, account_forms.ResetPasswordKeyForm):
    """A new password for who has the link."""

    labels: ClassVar = NEW_PASSWORD


class FactorForm(_Plain, factor_forms.AuthenticateForm):
    """The second factor, on the way in."""


class FactorAgainForm(_Plain, factor_forms.ReauthenticateForm):
    """The second factor once more, before what matters."""


class ActivateAppForm(_Plain, app_forms.ActivateTOTPForm):
    """A code that shows that the app on the phone has the key."""

    labels: ClassVar = {"code": _("Code that the app shows")}
