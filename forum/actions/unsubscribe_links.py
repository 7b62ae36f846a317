"""Makes links with which people unsubscribe from emails in one click, without log-in (RFC 8058)."""

from collections.abc import Mapping
from enum import StrEnum

from django.conf import settings
from django.core import signing
from django.urls import reverse

from forum.models import User

SALT = "unsubscribe"


class Mail(StrEnum):
    """Kinds of emails that a person may subscribe to."""

    REPLIES = "replies"
    MENTIONS = "mentions"
    WATCHED = "watched"
    MODERATORS = "moderators"
    DIGEST = "digest"


ENDED: Mapping[Mail, Mapping[str, object]] = {
    Mail.REPLIES: {"mails_replies": False},
    Mail.MENTIONS: {"mails_mentions": False},
    Mail.WATCHED: {"mails_watched": False},
    Mail.MODERATORS: {"mails_moderators": False},
    Mail.DIGEST: {"digest": User.Digest.NONE},
}
"""For each kind of email, the `User` fields and values that unsubscribe a person."""


def address(user_id: int, mail: Mail) -> str:
    """Return the URL that unsubscribes a person from a kind of email. The URL never expires."""
    token = signing.dumps([user_id, mail], salt=SALT)
    return settings.SITE_URL + reverse("unsubscribe", args=[token])


def read(token: str) -> tuple[int, Mail] | None:
    """Return the person id and kind of email in a link's token; None for an invalid token."""
    try:
        user_id, mail = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    return user_id, Mail(mail)


def unsubscribe(user_id: int, mail: Mail) -> None:
    """Unsubscribe a person from a kind of email. Safe to repeat."""
    User.objects.filter(pk=user_id).update(**ENDED[mail])
