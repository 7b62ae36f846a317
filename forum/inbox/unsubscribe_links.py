"""Links in mail that end it with one click, without log-in (RFC 8058)."""

from collections.abc import Mapping
from enum import StrEnum

from django.conf import settings
from django.core import signing
from django.urls import reverse

from forum.models import User

SALT = "unsubscribe"


class Mail(StrEnum):
    """Kinds of mail that a person may ask for."""

    REPLIES = "replies"
    MENTIONS = "mentions"
    WATCHED = "watched"
    DIGEST = "digest"


ENDED: Mapping[Mail, Mapping[str, object]] = {
    Mail.REPLIES: {"mails_replies": False},
    Mail.MENTIONS: {"mails_mentions": False},
    Mail.WATCHED: {"mails_watched": False},
    Mail.DIGEST: {"digest": User.Digest.NONE},
}
"""The fields of a person who no longer wants a kind of mail."""


def address(user_id: int, mail: Mail) -> str:
    """Return the whole address that ends this kind of mail for a person; it never runs out."""
    token = signing.dumps([user_id, mail], salt=SALT)
    return settings.SITE_URL + reverse("unsubscribe", args=[token])


def read(token: str) -> tuple[int, Mail] | None:
    """Return whose mail of which kind a link ends; None where it was not made here."""
    try:
        user_id, mail = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    return user_id, Mail(mail)


def unsubscribe(user_id: int, mail: Mail) -> None:
    """End a kind of mail for a person. Repeating it is harmless. One query."""
    User.objects.filter(pk=user_id).update(**ENDED[mail])
