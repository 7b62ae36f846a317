"""Passkeys: the forms and pages of django-allauth's WebAuthn, with the site's own wording."""

from typing import Any

from allauth.core import context
from allauth.mfa.webauthn import forms as key_forms
from allauth.mfa.webauthn import views as key_views
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.accounts.second_factors import NewFactorPage
from forum.accounts.security_signals import note
from forum.identity import sessions
from forum.models import SecurityEvent, User

UNKNOWN = gettext_lazy(
    "The passkey was not accepted. Please try again, or log in with your password."
)

FORGED = (LookupError, TypeError, ValueError)
"""The errors that the library raises for answers that no browser sends."""


class AddPasskeyForm(key_forms.AddWebAuthnForm):
    """Add a passkey under a name, or a security key that only works as a second factor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"] = forms.CharField(
            label=_("Name"),
            max_length=50,
            required=False,
            help_text=_("For example, the name of the device or of the password manager."),
        )
        self.fields["passwordless"] = forms.BooleanField(
            label=_("Log in without a password"),
            required=False,
            initial=True,
            help_text=_(
                "Your device then asks for your fingerprint, face or PIN. Untick this for a"
                " security key that can't: you use it after your password."
            ),
        )

    def clean(self) -> dict[str, Any]:
        """Check the browser's answer. The library raises other errors for forged answers."""
        try:
            return dict(super().clean())
        except (ValidationError, *FORGED) as error:
            raise ValidationError(_("The passkey wasn't added. Please try again.")) from error


class _PasskeyForm(forms.Form):
    """Logs refused passkeys, and replaces the library's error message, which is about codes."""

    user: User | None
    """None at log-in without a password: anybody could name somebody else there."""

    def clean_credential(self) -> Any:
        """Return the passkey. Raises ValidationError if it is wrong, or after too many failures."""
        try:
            return super().clean_credential()  # type: ignore[misc]
        except (ValidationError, *FORGED) as error:
            if getattr(error, "code", "incorrect_code") == "incorrect_code":
                note(SecurityEvent.Kind.PASSKEY_FAILURE, context.request, self.user)
                raise ValidationError(UNKNOWN) from error
            note(SecurityEvent.Kind.LOCK, context.request, self.user)
            raise


class LoginPasskeyForm(_PasskeyForm, key_forms.LoginWebAuthnForm):
    """Log in with a passkey instead of a password."""


class FactorPasskeyForm(_PasskeyForm, key_forms.AuthenticateWebAuthnForm):
    """Use a passkey or security key after the password."""


class AgainPasskeyForm(_PasskeyForm, key_forms.ReauthenticateWebAuthnForm):
    """Ask for the passkey again before a sensitive change."""


class RenamePasskeyForm(key_forms.EditWebAuthnForm):
    """Rename a passkey."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"] = forms.CharField(label=_("Name"), max_length=50)


class AddPasskeyView(NewFactorPage, key_views.AddWebAuthnView):
    """Adds a passkey. The first second factor of an account also ends its other sessions."""

    def form_valid(self, form: AddPasskeyForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        if self.did_generate_recovery_codes:
            sessions.end_others(self.request)
        return answer


class ReauthenticateView(key_views.ReauthenticateWebAuthnView):
    """Asks for the passkey again. If it isn't accepted, the page says so."""

    def form_invalid(self, form: AgainPasskeyForm) -> HttpResponse:
        page: HttpResponse = self.render_to_response(self.get_context_data(form=form))
        return page


add, reauthenticate = AddPasskeyView.as_view(), ReauthenticateView.as_view()
