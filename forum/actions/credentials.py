"""Revokes all that acts for a person without their password: tokens and private feeds."""

from django.core.cache import cache

from forum.actions import security_log
from forum.models import ApiToken, FeedKey, SecurityEvent, User


def revoke_all(person: User) -> None:
    """Make all tokens and private feeds of a person stop working. Safe to repeat."""
    for token in ApiToken.objects.filter(user=person):
        forget(token)
    if FeedKey.objects.filter(user=person).delete()[0]:
        security_log.record(SecurityEvent.Kind.FEEDS_REVOKED, person_id=person.pk)


def forget(token: ApiToken, network: str = "") -> None:
    """Delete a token, and remove it from the cache. `network` is a hash for the security log."""
    token.delete()
    cache.delete(token.cache_key)
    security_log.record(
        SecurityEvent.Kind.TOKEN_REVOKED,
        person_id=token.user_id,
        network=network,
        details={"name": token.name},
    )


def has_any(person: User) -> bool:
    """Return whether a person has tokens or private feeds. At most two queries."""
    owned = (ApiToken.objects.filter(user=person), FeedKey.objects.filter(user=person))
    return any(rows.exists() for rows in owned)
