"""Mail about accounts: in the site's name, and what becomes of one that can't be sent."""

from smtplib import SMTPException
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from forum.pages import refusals

log = structlog.get_logger()

LINKS = frozenset({"activate_url", "password_reset_url", "signup_url"})
"""What the library calls the links in its mail."""
ALL_THAT_WAS_ASKED = {"account/email/password_reset_key", "account/email/unknown_account"}
"""Mails that are sent where somebody wants a new password, and nothing is done but that."""
SENT = "account/messages/email_confirmation_sent.txt"
"""What the library says after it asked for a confirmation, whatever became of the mail."""


class MailAdapter(DefaultAccountAdapter):
    """The part of the library's adapter that sends mail."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail that names the site and leads there, not to the host that asked for it.

        Where the mail server is away, or wants no mail to that address, this is said; what else was
        asked for, an account say, is done all the same.
        """
        site = SimpleNamespace(name=settings.SITE_NAME, domain=settings.SITE_NAME)
        more = {"current_site": site, "site_url": settings.SITE_URL}
        links = {name: _on_site(context[name]) for name in LINKS & context.keys()}
        try:
            super().send_mail(template_prefix, email, context | links | more)
        except (SMTPException, OSError) as error:
            log.warning("mail about an account can't be sent", reason=str(error))
            self._tell_unsent(email, everything=template_prefix in ALL_THAT_WAS_ASKED)

    def _tell_unsent(self, email: str, *, everything: bool) -> None:
        """Say that a mail could not be sent: on the next page, or at once if it is everything."""
        sentence = _(
            "The mail to %(address)s could not be sent. See whether the address is right, and ask"
            " for the mail again in a few minutes."
        )
        sentence %= {"address": email}
        if everything:
            raise ImmediateHttpResponse(refusals.mail_rests(self.request, sentence))
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


def _on_site(address: str) -> str:
    """Return an address of the site as mail spells it."""
    return settings.SITE_URL + urlsplit(address)._replace(scheme="", netloc="").geturl()
