"""Creates, replaces, revokes and finds the secret keys in the URLs of private feeds."""

from hashlib import sha256
from secrets import token_urlsafe

from django.utils import timezone

from forum.models import FeedKey, User


def create(user: User) -> str:
    """Create or replace the key in the URLs of a person's private feeds, and return the key.

    Only the key's hash is stored. URLs with an earlier key stop working.
    """
    key = token_urlsafe(32)
    FeedKey.objects.update_or_create(
        user=user, defaults={"key_hash": _hash(key), "created_at": timezone.now()}
    )
    return key


def revoke(user: User) -> None:
    """Make the URLs of a person's private feeds stop working. Safe to repeat."""
    FeedKey.objects.filter(user=user).delete()


def find(user: User) -> FeedKey | None:
    """Return a person's feed key (its hash and creation time), or None."""
    return FeedKey.objects.filter(user=user).first()


def owner(key: str) -> User | None:
    """Return the person with this key, or None.

    Returns None for keys of disabled accounts.
    """
    keys = FeedKey.objects.select_related("user").filter(user__is_active=True)
    found = keys.filter(key_hash=_hash(key)).first()
    return found.user if found else None


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()
