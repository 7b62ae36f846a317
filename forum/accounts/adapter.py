"""Names, log-in and addresses of people, and votes that waited for log-in."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.accounts.login_stages import STAGES, has_address
from forum.accounts.mail_adapter import MailAdapter
from forum.identity import known_browsers, network
from forum.models import User
from forum.queries.email_addresses import confirmed_address
from forum.text import usernames
from forum.web import pending_actions

MANDATORY = "mandatory"
"""What the library calls it that log-in waits for a confirmed address."""


class AccountAdapter(MailAdapter):
    """Called by the library at every step of an account's life."""

    error_messages: ClassVar = MailAdapter.error_messages | {
        "username_password_mismatch": gettext_lazy(
            "The name or the password is wrong. Capital letters matter in a password."
        ),
        "email_password_mismatch": gettext_lazy(
            "The email address or the password is wrong. Capital letters matter in a password."
        ),
        "username_taken": gettext_lazy("Somebody has that name already. Choose another one."),
        "email_taken": gettext_lazy("An account has that address already. Give another one."),
        "duplicate_email": gettext_lazy("You have added that address already."),
        "enter_current_password": gettext_lazy("That is not your current password."),
        "too_many_login_attempts": gettext_lazy(
            "Too many wrong passwords. Wait five minutes, then try again."
        ),
        "username_blacklisted": gettext_lazy("That name is kept for the site. Choose another one."),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse names that can't stand in addresses, reserved ones, and those taken."""
        usernames.check(username)
        return str(super().clean_username(username, shallow=shallow))

    def save_user(
        self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True
    ) -> User:
        """Save a new person. Of two who take a name in the same instant, one is asked again."""
        try:
            with transaction.atomic():
                saved: User = super().save_user(request, user, form, commit)
        except IntegrityError as taken:
            messages.error(request, _("Somebody has just taken that name. Choose another one."))
            raise ImmediateHttpResponse(redirect(request.get_full_path())) from taken
        return saved

    def pre_login(
        self, request: HttpRequest, user: User | None, **kwargs: Any
    ) -> HttpResponse | None:
        """Keep a guest's vote or follow while a second factor or an e-mail is asked for."""
        if user:  # nobody, where somebody signs up with an address that an account has
            pending_actions.remember(request, user.pk)
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return response

    def get_login_stages(self) -> list[str]:
        """Return what may be asked for between a right password and being in."""
        return [STAGES.get(stage, stage) for stage in super().get_login_stages()]

    def login(self, request: HttpRequest, user: User) -> None:
        """Log in, and give the session a key that names the person (`forum.identity.sessions`).

        It lasts as long as others, unless it is to end with the browser: so it was said before a
        second factor was asked for.
        """
        super().login(request, user)
        if not request.session.get_expire_at_browser_close():
            request.session.set_expiry(None)
        request.session.cycle_key()

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Lead on, first to the question about a vote or follow that led to log-in.

        The browser is known from now on.
        """
        response: HttpResponse = super().post_login(request, user, **kwargs)
        back = response["Location"]
        response["Location"] = pending_actions.confirm_address(request, user.pk, back)
        logins = (user.username, user.email, *_confirmed(user))
        known_browsers.remember(request, response, logins)
        if kwargs["email_verification"] == MANDATORY and not has_address(user):
            _ask_for_address(request)
        return response

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm an address; it gets the person's mail if the one that should is unconfirmed."""
        confirmed = bool(super().confirm_email(request, email_address))
        if confirmed and not confirmed_address(email_address.user):
            email_address.set_as_primary()
        return confirmed

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Say whether an address may go. Where the site wants one of everybody, the last stays."""
        others = EmailAddress.objects.filter(user=email_address.user).exclude(pk=email_address.pk)
        wanted = settings.ACCOUNT_EMAIL_VERIFICATION == MANDATORY and not others.exists()
        return not wanted and bool(super().can_delete_email(email_address))

    def is_safe_url(self, url: str | None) -> bool:
        """Say whether log-in may lead there; not to what is no address at all."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of who asks, as the trusted proxies tell it; "unknown" where they tell
        none, or fewer were passed than are trusted: nobody is refused a page for that.
        """
        try:
            given = str(super().get_client_ip(request))
        except (ImproperlyConfigured, PermissionDenied):
            return "unknown"
        with suppress(ValueError):
            return str(network.parse(given))
        return given

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return what wrong passwords are counted by: the name or e-mail that was given, and the
        browser where that is known in it; not the host, of which anybody may name a port at will.
        """
        return known_browsers.count(request, _login(credentials))

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Forget wrong passwords that came with a name or e-mail: those of this browser, and those
        of all where it is not known, among which is the next that its owner takes up.
        """
        login = _login(credentials)
        for key in {known_browsers.count(request, login), known_browsers.count_elsewhere(login)}:
            ratelimit.clear(request, app="allauth.account", action="login_failed", key=key)

    def set_password(self, user: User, password: str) -> None:
        """Set a password; the wrong ones that were given with the person's name count no more."""
        user.set_password(password)
        user.save(update_fields=["password"])  # what else they are may change meanwhile
        self._delete_login_attempts_cached_email(self.request, username=user.username)


def _login(credentials: Mapping[str, Any]) -> str:
    """Return the name or e-mail address that a password was given with."""
    return str(credentials.get("email", credentials.get("username", "")))


def _confirmed(user: User) -> list[str]:
    """Return the confirmed addresses of somebody, each of which lets them log in. One query."""
    addresses = EmailAddress.objects.filter(user=user, verified=True)
    return list(addresses.values_list("email", flat=True))


def _ask_for_address(request: HttpRequest) -> None:
    link = format_html('<a href="{}">{}</a>', reverse("account_email"), _("Add one"))
    asking = _("This account has no email address: a forgotten password would close it for good.")
    messages.warning(request, format_html("{} {}", asking, link))
