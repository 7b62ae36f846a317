"""Log-in and sign-up with OpenID Connect providers, which a site can have (`OIDC_PROVIDERS`).

The site's rules for sign-up hold: invitations, applications, names and limits.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import structlog
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount import forms as social_forms
from allauth.socialaccount import views as social_views
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.openid_connect import views as oidc_views
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from requests import RequestException

from forum.accounts.adapter import MANDATORY, invitation_code
from forum.accounts.forms import PlainForm, fit_sign_up
from forum.accounts.provider_again import confirm
from forum.accounts.views import JoiningPage, closed_page
from forum.moderation.joining import services as joining
from forum.web import pending_actions
from forum.web.redirects import redirect_303

log = structlog.get_logger(__name__)
PASSWORD_PAGES = {
    *("account_reset_password", "account_reset_password_from_key", "account_change_password"),
    *("account_set_password", "mfa_login_webauthn"),
}
"""Names of pages that are closed if people log in with a provider only."""
FORM_PAGES = {"account_login", "account_signup"}
"""Names of pages that then have buttons of providers in place of their forms."""


class SocialAdapter(DefaultSocialAccountAdapter):
    """The hooks that django-allauth calls for log-ins with a provider."""

    error_messages: ClassVar = DefaultSocialAccountAdapter.error_messages | {
        "email_taken": _(
            "An account with that email address already exists. Log in to it first, then connect"
            " your account at %s under “Other accounts”."
        ),
        "email_taken_here": _(
            "An account with that email address already exists, but your account at %s isn't"
            " connected to it. Ask an admin of this site to let you connect it."
        ),
        "no_password": _("Set a password first. Otherwise you couldn't log in any more."),
        "no_verified_email": _("Confirm an email address first."),
        "disconnect_last": _("You need this account to log in."),
    }

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True, or show why nobody can sign up."""
        if not joining.is_open(invitation_code(request)):
            raise ImmediateHttpResponse(closed_page(request))
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Record that a member went to the provider to confirm their identity."""
        again = sociallogin.state.get("process") == AuthProcess.REDIRECT
        if again and request.user.is_authenticated and not confirm(request, sociallogin):
            messages.error(request, _("That isn't the account that you connected here."))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Any = None,
        extra_context: Any = None,
    ) -> None:
        """Log why a log-in with a provider failed, for the operator."""
        log.warning("openid log-in failed", provider=provider.name, why=str(exception or error))


class SocialSignupForm(PlainForm, social_forms.SignupForm):
    """Choose a user name on the first log-in with a provider."""

    labels: ClassVar = {"username": _("User name")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fit_sign_up(self)

    def validate_unique_email(self, value: str) -> str:
        """Return the email address. Raises ValidationError if it has an account already.

        If people must confirm their address, the error appears only if the provider has verified
        that the address is theirs: nobody else may learn who has an account.
        """
        if settings.ACCOUNT_EMAIL_VERIFICATION != MANDATORY:
            return str(super().validate_unique_email(value))
        owned = EmailAddress.objects.filter(email__iexact=value, verified=True)
        if value in verified_addresses(self.sociallogin) and owned.exists():
            code = "email_taken_here" if settings.OIDC_ONLY else "email_taken"
            raise get_adapter().validation_error(code, self.sociallogin.provider.name)
        return value


class SocialSignupView(JoiningPage, social_views.SignupView):
    """The page on which people choose a user name, after their first log-in with a provider."""

    def confirmed_addresses(self) -> list[str]:
        """Return the addresses that the provider verified.

        The account gets them, also if the person enters another address.
        """
        return verified_addresses(self.sociallogin)


def verified_addresses(login: SocialLogin) -> list[str]:
    """Return the email addresses that the provider has verified, in lower case."""
    return [address.email.lower() for address in login.email_addresses if address.verified]


def providers_only(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: with `OIDC_ONLY`, nobody logs in with a password or passkey."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return get_response(request)

    def process_view(request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        name = request.resolver_match.url_name if request.resolver_match else ""
        is_closed = name in PASSWORD_PAGES or (name in FORM_PAGES and request.method == "POST")
        return redirect_303(reverse("account_login")) if settings.OIDC_ONLY and is_closed else None

    middleware.process_view = process_view  # type: ignore[attr-defined]
    return middleware


def login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send a browser to a provider, or show that the provider is unavailable.

    The session keeps a guest's pending vote or follow meanwhile.
    """
    if request.method == "POST" and not request.user.is_authenticated:
        pending_actions.carry(request)
    try:
        answer: HttpResponse = oidc_views.login(request, provider_id)
    except RequestException as error:
        log.warning("openid provider unavailable", provider=provider_id, why=str(error))
        return render(request, "socialaccount/authentication_error.html", status=503)
    return answer


signup = SocialSignupView.as_view()
