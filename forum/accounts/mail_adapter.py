"""Mail about accounts: in the site's name, and what becomes of one that can't be sent."""

from collections.abc import Mapping
from smtplib import SMTPException
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.utils import filter_users_by_email
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from forum.inbox.mails import AUTOMATIC
from forum.models import User
from forum.queries.email_addresses import confirmed_address
from forum.web import error_responses

log = structlog.get_logger()

LINKS = frozenset({"activate_url", "password_reset_url", "signup_url"})
"""What the library calls the links in its mail."""
ALL_THAT_WAS_ASKED = {"account/email/password_reset_key", "account/email/unknown_account"}
"""Mails that are sent where somebody wants a new password, and nothing is done but that."""
NOTICES = frozenset(
    f"{app}/email/{change}"
    for app, change in (
        *(("account", name) for name in ("email_added", "email_changed", "email_deleted")),
        *(("account", name) for name in ("password_changed", "password_reset")),
        *(("mfa", name) for name in ("totp_activated", "totp_deactivated")),
        ("mfa", "recovery_codes_generated"),
    )
)
"""Mails that report a change. Nobody asked for them, so if one can't be sent it is only logged."""
SENT = "account/messages/email_confirmation_sent.txt"
"""What the library says after it asked for a confirmation, whatever became of the mail."""


class MailAdapter(DefaultAccountAdapter):
    """The part of the library's adapter that sends mail."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail that names the site and leads there, not to the host that asked for it.

        It is in the language of the person who has that address, if anybody has. If the mail server
        is unavailable or refuses the address, a message says so; what else was asked for, such as a
        new account, is done all the same.
        """
        site = SimpleNamespace(name=settings.SITE_NAME, domain=settings.SITE_NAME)
        more = {"current_site": site, "site_url": settings.SITE_URL}
        links = {name: _on_site(context[name]) for name in LINKS & context.keys()}
        try:
            with override(_language_of(email, context)):
                super().send_mail(template_prefix, email, context | links | more)
        except (SMTPException, OSError) as error:
            log.warning("mail about an account can't be sent", reason=str(error))
            if template_prefix not in NOTICES:
                self._tell_unsent(email, everything=template_prefix in ALL_THAT_WAS_ASKED)

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Return a mail that says in its headers that no person wrote it."""
        more = AUTOMATIC | (headers or {})
        mail: EmailMessage = super().render_mail(template_prefix, email, context, more)
        return mail

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Send a notice that an account was changed to the address it had before, if confirmed."""
        known = EmailAddress.objects.filter(user=user, email=email, verified=True)
        address = confirmed_address(user) if email is None else known.exists() and email
        if address:
            self._notify(template_prefix, user, context or {}, address)

    def notify_removed(self, user: User, address: str) -> None:
        """Tell a confirmed address that it was removed: it may have been the person's only one."""
        self._notify("account/email/email_deleted", user, {"deleted_email": address}, address)

    def notify_changed(self, user: User, old: str, new: str) -> None:
        """Tell a confirmed address that the person's mail goes elsewhere from now on."""
        if new:
            changed = {"from_email": old, "to_email": new}
            self.send_notification_mail("account/email/email_changed", user, changed, old)
        elif EmailAddress.objects.filter(user=user, email=old, verified=True).exists():
            self.notify_removed(user, old)

    def _notify(self, template: str, user: User, context: dict[str, Any], address: str) -> None:
        super().send_notification_mail(template, user, context | {"user": user}, address)

    def _tell_unsent(self, email: str, *, everything: bool) -> None:
        """Say that a mail could not be sent: on the next page, or at once if it is everything."""
        sentence = _(
            "The mail to %(address)s could not be sent. See whether the address is right, and ask"
            " for the mail again in a few minutes."
        )
        sentence %= {"address": email}
        if everything:
            raise ImmediateHttpResponse(error_responses.mail_rests(self.request, sentence))
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
        """Say what the library has to say, but not that a mail is on its way that could not go."""
        if message_template != SENT or not hasattr(request, "mail_unsent"):
            super().add_message(request, level, message_template, *args, **kwargs)

    def format_email_subject(self, subject: str) -> str:
        """Return a mail's subject with the site's name in front."""
        return f"[{settings.SITE_NAME}] {subject}"


def _language_of(address: str, context: Mapping[str, Any]) -> str:
    """Return the language of the person a mail is for; for a stranger, that of this page."""
    person = context.get("user") or next(iter(filter_users_by_email(address)), None)
    return person.mail_language if isinstance(person, User) and person.language else get_language()


def _on_site(address: str) -> str:
    """Return an address of the site as mail spells it."""
    return settings.SITE_URL + urlsplit(address)._replace(scheme="", netloc="").geturl()
