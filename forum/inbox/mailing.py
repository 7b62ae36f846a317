"""Writes the mail that people asked for: replies to them, and digests."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import override

from forum.inbox import unsubscribing
from forum.inbox.unsubscribing import Mail
from forum.models import User


def send(person: User, mail: Mail, template: str, context: Mapping[str, Any]) -> None:
    """Send one mail, of which `mail/<template>.txt` has the subject in its first line.

    Raises what the mail server's refusal or absence raises. Every mail tells how to end it, to
    people in its text and to their programs in its headers.
    """
    ending = unsubscribing.address(person.pk, mail)
    shown = {
        **context,
        "person": person,
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "unsubscribe": ending,
    }
    with override(settings.LANGUAGE_CODE):
        text = render_to_string(f"mail/{template}.txt", shown)
    subject, _newline, body = text.strip().partition("\n")
    EmailMessage(
        subject=" ".join(subject.split()),
        body=body.lstrip("\n") + "\n",
        to=[person.email],
        headers={
            "List-Unsubscribe": f"<{ending}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    ).send()
