"""The forms of the accounts library, with the site's own wording."""

from collections.abc import Mapping
from typing import Any, ClassVar

from allauth.account import forms as account_forms
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa.base import forms as factor_forms
from allauth.mfa.totp import forms as app_forms
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import (
    MinimumLengthValidator,
    get_default_password_validators,
)
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from forum.accounts.security_signals import note
from forum.actions import credentials
from forum.actions.policy import policy
from forum.models import Application, SecurityEvent, SitePolicy, User
from forum.queries.email_addresses import owner
from forum.text import usernames
from forum.web.forms.fields import UncutField

NEW_PASSWORD = {"password1": _("New password"), "password2": _("New password (again)")}
PASSWORD_HELP = _(
    "At least %(least)d characters, not a common password, not similar to your user"
    " name or the name of the site."
)


class PlainForm(forms.Form):
    """A form without placeholders, because placeholders disappear while a person types."""

    labels: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
        if "password1" in self.fields:
            self.fields["password1"].help_text = PASSWORD_HELP % {"least": _shortest_password()}


def _shortest_password() -> int:
    checks = get_default_password_validators()
    return max(check.min_length for check in checks if isinstance(check, MinimumLengthValidator))


class LoginForm(PlainForm, account_forms.LoginForm):
    """Log in with a user name or email address, and a password."""

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


class SignupForm(PlainForm, account_forms.SignupForm):
    """Sign up with a user name, a password and an email address.

    If sign-up needs an application, the form also asks the question that the admins have set.
    """

    labels: ClassVar = {"username": _("User name")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fit_sign_up(self)

    def validate_unique_email(self, value: str) -> str:
        """Return the email address. Raises ValidationError if it has an account already.

        If people must confirm their address, each sign-up makes an account, so that nobody can find
        out who has one. Only one account can confirm the address, and the email says so.
        """
        if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            return value
        return str(super().validate_unique_email(value))

    def full_clean(self) -> None:
        """Validate the form.

        If it has errors, but none in the password, ask for the password again.
        """
        super().full_clean()
        if self.errors and "password1" not in self.errors:
            again = _("For your security, enter your password again.")
            self["password1"].help_text = again


def fit_sign_up(form: forms.Form) -> None:
    """Explain the fields of a form for sign-up.

    If sign-up needs an application, add the question that the admins have set.
    """
    name = form.fields["username"]
    name.help_text = usernames.HELP
    name.widget.attrs |= {
        "maxlength": usernames.LONGEST,
        "autocapitalize": "none",
        "spellcheck": "false",
    }
    form.fields["email"].help_text = _(
        "For password resets and for the notifications that you choose. Never shown to others."
    )
    if policy.get().sign_up == SitePolicy.SignUp.APPLICATION:
        form.fields["answer"] = _answer_field(policy.get().question)


def _answer_field(question: str) -> UncutField:
    return UncutField(
        label=question,
        max_length=Application._meta.get_field("answer").max_length,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "Only moderators can read your answer. Until they accept your application, you can"
            " only read the site. If you enter an email address, we also email you their decision."
        ),
    )


class AddEmailForm(PlainForm, account_forms.AddEmailForm):
    """Add an email address."""


class ReauthenticateForm(PlainForm, account_forms.ReauthenticateForm):
    """Ask for the password again before a sensitive change."""


class _AsksToRevoke(forms.Form):
    """A form for a new password that asks whether to revoke tokens and private feeds, if any."""

    user: User | None
    """None for a link from an email that no longer works."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user and credentials.has_any(self.user):
            self.fields["revoke"] = forms.BooleanField(
                label=_("Revoke my tokens and private feeds"),
                required=False,
                initial=True,
                help_text=_(
                    "Programs and feed readers that use them stop working. Keep this ticked if"
                    " somebody else may know your old password."
                ),
            )

    def save(self) -> None:
        """Save the password. Revoke tokens and private feeds if the person chose so."""
        super().save()  # type: ignore[misc]
        if self.user and self.cleaned_data.get("revoke"):
            credentials.revoke_all(self.user)


class ChangePasswordForm(_AsksToRevoke, PlainForm, account_forms.ChangePasswordForm):
    """Change the password; needs the current one."""

    labels: ClassVar = NEW_PASSWORD | {"oldpassword": _("Current password")}


class SetPasswordForm(PlainForm, account_forms.SetPasswordForm):
    """Set a password for an account without one, which was made with a provider."""

    labels: ClassVar = NEW_PASSWORD


class ResetPasswordForm(PlainForm, account_forms.ResetPasswordForm):
    """Ask for a link by email that resets a forgotten password."""

    def clean_email(self) -> str:
        """Find the person to whom the link is sent, if there is one."""
        email = str(self.cleaned_data["email"])
        person = owner(email)
        self.users = [person] if person and person.is_active else []
        return email

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Send the email, and log the request, also if nobody has the address."""
        email = str(super().save(request, **kwargs))
        note(SecurityEvent.Kind.RESET_REQUEST, request, next(iter(self.users), None))
        return email


class ResetPasswordKeyForm(_AsksToRevoke, PlainForm, account_forms.ResetPasswordKeyForm):
    """Choose a new password, after following the link from a reset email."""

    labels: ClassVar = NEW_PASSWORD

    def save(self) -> None:
        """Save the password. The email proves the address of an account that was unconfirmed."""
        super().save()
        if self.user and self.user.is_unconfirmed:
            for address in EmailAddress.objects.filter(user=self.user, email=self.user.email):
                get_adapter().confirm_email(context.request, address)


class _LogsLocks(forms.Form):
    """A form for a code, which logs that codes are refused after too many wrong ones."""

    user: User

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError if it is wrong, or after too many wrong ones."""
        try:
            return str(super().clean_code())  # type: ignore[misc]
        except ValidationError as error:
            if error.code == "too_many_login_attempts":
                note(SecurityEvent.Kind.LOCK, context.request, self.user)
            raise


class FactorForm(_LogsLocks, PlainForm, factor_forms.AuthenticateForm):
    """Enter a two-factor code to log in."""


class FactorAgainForm(_LogsLocks, PlainForm, factor_forms.ReauthenticateForm):
    """Ask for a two-factor code again before a sensitive change."""


class ActivateAppForm(PlainForm, app_forms.ActivateTOTPForm):
    """Turn on two-factor authentication with a code from the app."""

    labels: ClassVar = {"code": _("Code from the app")}
