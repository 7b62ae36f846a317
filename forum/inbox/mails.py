"""Renders and sends the emails that people asked for: digests and notifications."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import override

from forum.inbox import unsubscribe_links
from forum.inbox.unsubscribe_links import Mail
from forum.models import User

AUTOMATIC = {"Auto-Submitted": "auto-generated"}
"""The header that keeps mail programs from sending automatic replies (RFC 3834)."""


def send(person: User, address: str, mail: Mail, context: Mapping[str, Any]) -> None:
    """Send one email in the person's language. The first line of `mail/<mail>.txt` is the subject.

    The email has a link to unsubscribe, in its text and in its headers. Raises SMTPException or
    OSError if the mail server refuses the email or is unavailable.
    """
    unsubscribe = unsubscribe_links.address(person.pk, mail)
    shown = {
        **context,
        "person": person,
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "unsubscribe": unsubscribe,
    }
    with override(person.mail_language):
        text = render_to_string(f"mail/{mail}.txt", shown)
    subject, _newline, body = text.strip().partition("\n")
    EmailMessage(
        subject=" ".join(subject.split()),
        body=body.lstrip("\n") + "\n",
        to=[address],
        headers={
            **AUTOMATIC,
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    ).send()
