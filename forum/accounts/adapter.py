"""Hooks that the accounts library (django-allauth) calls at sign-up, log-in and other steps."""

from contextlib import suppress
from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from allauth.core import context, ratelimit
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.db.models import prefetch_related_objects
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.accounts import provider_again
from forum.accounts.mail_adapter import MailAdapter
from forum.accounts.security_signals import note, person_of
from forum.actions import account_deletions, renames, unconfirmed
from forum.config import encryption
from forum.config.openid import openid_providers
from forum.errors import Invalid
from forum.identity import known_browsers, network
from forum.identity.account_networks import note_network
from forum.identity.published_passwords import refusal
from forum.models import SecurityEvent, User
from forum.models.published_passwords import PUBLISHED_PASSWORDS
from forum.moderation.joining import limits
from forum.moderation.joining import services as joining
from forum.queries.email_addresses import confirmed_address
from forum.text import usernames
from forum.text.sentences import sentence_space
from forum.web import drafts, pending_actions

MANDATORY = "mandatory"
"""The value of ACCOUNT_EMAIL_VERIFICATION that requires a confirmed email address for log-in."""
UNVERIFIED_EMAIL = gettext_lazy(
    "Confirm your email address before you turn on two-factor authentication."
)


INVITATION = "invitation"
"""The session's key for the code of the invitation that a guest opened before using a provider."""


def invitation_code(request: HttpRequest) -> str:
    """Return the code of the invitation in the URL of the sign-up page, or ""."""
    code = request.GET.get("invitation", "")
    return code or (request.session.get(INVITATION, "") if openid_providers() else "")


class OptionalVerificationStage(EmailVerificationStage):
    """Pauses a log-in until the email address is confirmed, if the site requires confirmation.

    People who have no email address, such as those whose accounts staff created, can log in.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if self.login.user and not _has_address(self.login.user):
            return None, True
        response, goes_on = super().handle()
        return response, goes_on


class AccountAdapter(MailAdapter):
    """The hooks that django-allauth calls for accounts, such as at sign-up and log-in."""

    error_messages: ClassVar = MailAdapter.error_messages | {
        "username_password_mismatch": gettext_lazy(
            "Wrong user name or password. Passwords are case-sensitive."
        ),
        "email_password_mismatch": gettext_lazy(
            "Wrong email address or password. Passwords are case-sensitive."
        ),
        "username_taken": gettext_lazy("That user name is taken. Please choose another one."),
        "email_taken": gettext_lazy("An account with that email address already exists."),
        "duplicate_email": gettext_lazy("You have already added that email address."),
        "enter_current_password": gettext_lazy("That isn't your current password."),
        "too_many_login_attempts": gettext_lazy(
            "Too many failed log-in attempts. Please wait five minutes and try again."
        ),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return the user name. Raises ValidationError if it is taken, reserved or unusable in a
        URL, or looks like the name of somebody else.
        """
        usernames.check(username)
        name = str(super().clean_username(username, shallow=shallow))
        try:
            renames.require_free(name)
        except Invalid as error:
            raise ValidationError(str(error)) from error
        return name

    def save_user(
        self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True
    ) -> User:
        """Save a new person, with the network, and the invitation or application they used.

        If somebody else has just taken the user name or invitation, shows the sign-up form again.
        """
        code, answer = invitation_code(request), form.cleaned_data.get("answer")
        user.is_unconfirmed = settings.ACCOUNT_EMAIL_VERIFICATION == MANDATORY
        try:
            with transaction.atomic():
                saved: User = super().save_user(request, user, form, commit)
                joining.join(saved, code=code, answer=answer)
                note_network(saved.pk, request)
        except IntegrityError as taken:
            messages.error(request, _("That user name was just taken. Please choose another one."))
            raise ImmediateHttpResponse(redirect(request.get_full_path())) from taken
        except Invalid as error:
            messages.error(request, str(error))
            raise ImmediateHttpResponse(redirect(request.get_full_path())) from error
        return saved

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether sign-up is open, or the visitor has a valid invitation."""
        return joining.is_open(invitation_code(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt to log in. After too many failures, raises ValidationError."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            note(SecurityEvent.Kind.LOCK, request, person_of(credentials))
            raise

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the person with this login and password, or None.

        In production, raises ValidationError if everybody knows the password.
        """
        person: User | None = super().authenticate(request, **credentials)
        if person and settings.PRODUCTION and credentials["password"] in PUBLISHED_PASSWORDS:
            raise ValidationError(refusal(person.username))
        return person

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse | None:
        """Store a guest's pending vote or follow in the session before log-in continues.

        The session keeps the vote or follow during the remaining steps, such as two-factor
        authentication, which may take more requests.
        """
        if "sociallogin" in (kwargs["signal_kwargs"] or {}):
            pending_actions.take_over(request, user.pk)
        else:
            pending_actions.remember(request, user.pk)
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return response

    def get_login_stages(self) -> list[str]:
        """Return the library's log-in stages, with our own stage for the email confirmation."""
        replaced = "allauth.account.stages.EmailVerificationStage"
        ours = f"{__name__}.{OptionalVerificationStage.__name__}"
        return [ours if stage == replaced else stage for stage in super().get_login_stages()]

    def login(self, request: HttpRequest, user: User) -> None:
        """Log a person in, with a session key that contains the person's id; note the network.

        Extends the guest's short session to the usual lifetime, unless the person chose to be
        logged out when the browser closes.
        """
        super().login(request, user)
        unconfirmed.keep(user)
        note_network(user.pk, request)
        if account_deletions.cancel(user, network=network.network_hash(request)):
            messages.success(request, _("You logged in, so your account won't be deleted."))
        if not request.session.get_expire_at_browser_close():
            request.session.set_expiry(None)
        request.session.cycle_key()

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Redirect after log-in, first to the page that confirms a pending vote or follow.

        Also adds the browser to the person's known browsers, and saves what the guest has typed.
        """
        response: HttpResponse = super().post_login(request, user, **kwargs)
        back = drafts.move(request, user, response["Location"])
        response["Location"] = pending_actions.confirm_address(request, user.pk, back)
        known_browsers.remember(request, response, _logins(user))
        if kwargs["email_verification"] == MANDATORY and not _has_address(user):
            _ask_for_address(request)
        return response

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """Send a link that confirms an address. At a log-in, send the same email as at sign-up.

        So the owner of an address never gets a link for an account that somebody else made. Takes
        the same queries whether or not the address has another owner.
        """
        prefetch_related_objects([emailconfirmation.email_address], "user")
        super().send_confirmation_mail(request, emailconfirmation, signup=True)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Confirm an email address, and make it primary if the primary address isn't confirmed.

        A person's first confirmed address counts for the limits on new accounts.
        """
        own = EmailAddress.objects.filter(user=email_address.user_id, verified=True)
        if email_address.can_set_verified() and not own.exists():
            limits.count_confirmed(email_address.email)
        confirmed = bool(super().confirm_email(request, email_address))
        if confirmed:
            unconfirmed.keep(email_address.user)
        if confirmed and not confirmed_address(email_address.user):
            email_address.set_as_primary()
        return confirmed

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Return whether an email address may be removed.

        If the site requires an address, the last one may not be removed.
        """
        others = EmailAddress.objects.filter(user=email_address.user).exclude(pk=email_address.pk)
        required = settings.ACCOUNT_EMAIL_VERIFICATION == MANDATORY and not others.exists()
        return not required and bool(super().can_delete_email(email_address))

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Return the ways in which a person can confirm who they are, in the site's own words."""
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        own = {"mfa_reauthenticate:webauthn": _("Use a passkey")}
        ways = [way | {"description": own.get(way["id"], way["description"])} for way in ways]
        if names := [one["name"] for one in provider_again.providers_of(user)]:
            description = _("Confirm with %(name)s") % {"name": ", ".join(names)}
            address = reverse("provider_again")
            ways.append({"id": "provider", "description": description, "url": address})
        return ways

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether sensitive changes require that people confirm who they are.

        Raises ReauthenticationRequired for people with a provider who haven't done so, because the
        library lets those pass who have no password.
        """
        required = bool(super().is_reauthentication_required(app=app, **kwargs))
        if required and provider_again.is_due(context.request):
            raise ReauthenticationRequired
        return required

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether log-in may redirect to a URL. Returns False if the URL is malformed."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's IP address, as the trusted proxies report it.

        Returns "unknown" if the proxies report no address, or the request bypassed the proxies.
        """
        try:
            given = str(super().get_client_ip(request))
        except (ImproperlyConfigured, PermissionDenied):
            return "unknown"
        with suppress(ValueError):
            return str(network.parse(given))
        return given

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return the rate-limit key for failed log-ins.

        django-allauth's own key contains the port that the client sent in the request. By sending
        different ports, a client could avoid the limit.
        """
        login = credentials.get("email", credentials.get("username", ""))
        return known_browsers.attempts_key(request, str(login))

    def set_password(self, user: User, password: str) -> None:
        """Set a password, and reset the limits on failed log-ins to the account."""
        user.set_password(password)
        user.save(update_fields=["password"])  # a concurrent request may change other fields
        for login in _logins(user):
            own = known_browsers.attempts_key(self.request, login)
            for key in {own, known_browsers.shared_attempts_key(login)}:
                ratelimit.clear(self.request, action="login_failed", key=key)


class FactorAdapter(DefaultMFAAdapter):
    """django-allauth's adapter for two-factor authentication.

    Stores secrets encrypted, and has our own error messages.
    """

    error_messages: ClassVar = DefaultMFAAdapter.error_messages | {
        "cannot_generate_recovery_codes": gettext_lazy(
            "Recovery codes need two-factor authentication. Turn it on first."
        ),
        "incorrect_code": gettext_lazy(
            "That code is wrong or has expired. Enter the code that the app shows now."
        ),
    }

    def encrypt(self, text: str) -> str:
        """Return a secret, such as that of an authenticator app, as the database stores it."""
        return encryption.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return a secret from the database. Raises Unreadable if its SECRET_KEY is unknown."""
        return encryption.decrypt(encrypted_text)

    def generate_authenticator_name(self, user: User, kind: Authenticator.Type) -> str:
        """Return the name of a passkey to which the person gives none."""
        number = Authenticator.objects.filter(user=user, type=kind).count() + 1
        return _("Passkey %(number)d") % {"number": number}

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the site's host and name, as devices show them beside a passkey."""
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return entity | {"name": settings.SITE_NAME}


def _has_address(user: User) -> bool:
    """Return whether a person has given any email address."""
    return bool(user.email) or EmailAddress.objects.filter(user=user).exists()


def _logins(user: User) -> list[str]:
    """Return the user name and the email addresses that a person can log in with."""
    addresses = EmailAddress.objects.filter(user=user, verified=True)
    logins = [user.username, user.email, *addresses.values_list("email", flat=True)]
    return list(filter(None, logins))


def _ask_for_address(request: HttpRequest) -> None:
    link = format_html('<a href="{}">{}</a>', reverse("account_email"), _("Add an email address"))
    sentence = _(
        "Your account has no email address. Without one you can't reset a forgotten password."
    )
    messages.warning(request, format_html("{}{}{}", sentence, sentence_space(), link))
