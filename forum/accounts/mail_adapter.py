"""Sends emails about accounts, and shows a message on the page if an email can't be sent."""

from collections.abc import Mapping
from smtplib import SMTPException
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from forum.actions.mails import automatic
from forum.config import metrics
from forum.models import User
from forum.queries.email_addresses import confirmed_address, confirmed_owner, owner
from forum.web import error_responses

log = structlog.get_logger()

LINKS = frozenset({"activate_url", "password_reset_url", "signup_url"})
"""The template variables that hold the links in the library's email."""
ONLY_EMAIL = {"account/email/password_reset_key", "account/email/unknown_account"}
"""Emails that are the only purpose of a request, such as a password reset. If the email can't be
sent, the request fails.
"""
NOTICES = frozenset(
    f"{app}/email/{change}"
    for app, change in (
        *(("account", name) for name in ("email_added", "email_changed", "email_deleted")),
        *(("account", name) for name in ("password_changed", "password_reset")),
        *(("account", name) for name in ("token_created", "feeds_created", "name")),
        *(("account", name) for name in ("data_export", "account_deletion")),
        *(("mfa", name) for name in ("totp_activated", "totp_deactivated")),
        *(("mfa", name) for name in ("webauthn_added", "webauthn_removed")),
        *(("mfa", name) for name in ("recovery_codes_generated", "recovery_codes_removed")),
        *(("socialaccount", name) for name in ("account_connected", "account_disconnected")),
    )
)
"""Emails that report a change of an account. If such an email can't be sent, the failure is logged,
but the page doesn't mention it.
"""
SENT = "account/messages/email_confirmation_sent.txt"
"""django-allauth's message that a confirmation email was sent. It appears even if sending fails."""


class MailAdapter(DefaultAccountAdapter):
    """The part of our account adapter that sends email."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an email in the recipient's language. Its links lead to SITE_URL.

        Commands can send emails, too: django-allauth's own method works only in requests.

        If the email can't be sent, a message on the page says so, and the request continues.
        """
        site = SimpleNamespace(name=settings.SITE_NAME, domain=settings.SITE_NAME)
        more = {"email": email, "current_site": site, "site_url": settings.SITE_URL}
        links = {name: _on_site(context[name]) for name in LINKS & context.keys()}
        try:
            with override(_language_of(email, context)):
                self.render_mail(template_prefix, email, context | links | more).send()
        except (SMTPException, OSError) as error:
            log.warning("account email not sent", reason=str(error))
            metrics.account_mail_failed()
            if template_prefix not in NOTICES:
                self._report_unsent(email, failed=template_prefix in ONLY_EMAIL)

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """Send a link that confirms an address.

        After a sign-up with the address of another account, tell the owner instead.
        """
        address = emailconfirmation.email_address.email
        person = confirmed_owner(address) if signup else None
        if person is None:
            super().send_confirmation_mail(request, emailconfirmation, signup)
        else:
            context = {"user": person, "password_reset_url": reverse("account_reset_password")}
            self.send_mail("account/email/account_already_exists", address, context)

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Return an email with headers that keep mail programs from replying automatically."""
        more = automatic() | (headers or {})
        mail: EmailMessage = super().render_mail(template_prefix, email, context, more)
        return mail

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Report a change of an account by email, but only to an address that is confirmed."""
        known = EmailAddress.objects.filter(user=user, email=email, verified=True)
        address = confirmed_address(user) if email is None else known.exists() and email
        if address:
            self._notify(template_prefix, user, context or {}, address)

    def notify_removed(self, user: User, address: str) -> None:
        """Notify a confirmed email address that it was removed from the account.

        The account may have no other address.
        """
        self._notify("account/email/email_deleted", user, {"deleted_email": address}, address)

    def notify_changed(self, user: User, old: str, new: str) -> None:
        """Notify a person's old email address, if confirmed, that another one is now primary."""
        if new:
            changed = {"from_email": old, "to_email": new}
            self.send_notification_mail("account/email/email_changed", user, changed, old)
        elif EmailAddress.objects.filter(user=user, email=old, verified=True).exists():
            self.notify_removed(user, old)

    def _notify(self, template: str, user: User, context: dict[str, Any], address: str) -> None:
        self.send_mail(template, address, context | {"user": user, "timestamp": timezone.now()})

    def _report_unsent(self, email: str, *, failed: bool) -> None:
        """Show a message that an email couldn't be sent.

        If `failed` is true, the message is on an error page, because the request's only purpose was
        to send the email. Otherwise, the next page shows the message.
        """
        sentence = _(
            "The email to %(address)s could not be sent. Please check the address and try again in"
            " a few minutes."
        )
        sentence %= {"address": email}
        if failed:
            raise ImmediateHttpResponse(error_responses.unavailable(self.request, sentence))
        messages.warning(self.request, sentence)
        self.request.mail_unsent = True

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Show a message of django-allauth, unless it says "email sent" and sending failed."""
        if message_template != SENT or not hasattr(request, "mail_unsent"):
            super().add_message(request, level, message_template, *args, **kwargs)

    def format_email_subject(self, subject: str) -> str:
        """Return the subject of an email, with the name of the site in front."""
        return f"[{settings.SITE_NAME}] {subject}"


def _language_of(address: str, context: Mapping[str, Any]) -> str:
    """Return the language of the person with this email address, or else of the current page."""
    person = context.get("user") or owner(address)
    return person.mail_language if isinstance(person, User) and person.language else get_language()


def _on_site(address: str) -> str:
    """Return a URL with its host replaced by the host of SITE_URL."""
    return settings.SITE_URL + urlsplit(address)._replace(scheme="", netloc="").geturl()
