"""Creates, replaces, revokes and finds the secret keys in the URLs of private feeds."""

from hashlib import sha256
from secrets import token_urlsafe

from allauth.account.adapter import get_adapter
from django.utils import timezone

from forum.actions import security_log
from forum.models import FeedKey, SecurityEvent, User

Kind = SecurityEvent.Kind


def create(user: User, network: str = "") -> str:
    """Create or replace the key in the URLs of a person's private feeds, and return the key.

    Only the key's hash is stored. URLs with an earlier key stop working. The person is notified by
    email. `network` is a hash for the security log.
    """
    key = token_urlsafe(32)
    FeedKey.objects.update_or_create(
        user=user, defaults={"key_hash": _hash(key), "created_at": timezone.now()}
    )
    security_log.record(Kind.FEEDS_CREATED, person_id=user.pk, network=network)
    get_adapter().send_notification_mail("account/email/feeds_created", user)
    return key


def revoke(user: User, network: str = "") -> None:
    """Make the URLs of a person's private feeds stop working. Safe to repeat."""
    if FeedKey.objects.filter(user=user).delete()[0]:
        security_log.record(Kind.FEEDS_REVOKED, person_id=user.pk, network=network)


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
