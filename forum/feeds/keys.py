"""Creates, replaces, revokes and finds the secret in the URLs of a person's private feeds."""

from hashlib import sha256
from secrets import token_urlsafe

from django.utils import timezone

from forum.models import FeedKey, User


def create(user: User) -> str:
    """Create or replace a person's secret and return it. It can't be read again later.

    URLs with an earlier secret stop working. Two queries in a transaction.
    """
    token = token_urlsafe(32)
    FeedKey.objects.update_or_create(
        user=user, defaults={"key_hash": _hash(token), "created_at": timezone.now()}
    )
    return token


def revoke(user: User) -> None:
    """Make the URLs of a person's private feeds stop working. Safe to repeat. One query."""
    FeedKey.objects.filter(user=user).delete()


def find(user: User) -> FeedKey | None:
    """Return a person's key, which doesn't contain the secret, or None. One query."""
    return FeedKey.objects.filter(user=user).first()


def owner(token: str) -> User | None:
    """Return the person with this secret, or None. One query.

    Feeds of disabled accounts don't work.
    """
    keys = FeedKey.objects.select_related("user").filter(user__is_active=True)
    found = keys.filter(key_hash=_hash(token)).first()
    return found.user if found else None


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
