"""Creates, revokes and finds the tokens with which programs act for people."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import date, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.models import ApiToken, User

MOST = 20
"""The most tokens that a person can have."""
REMEMBERED = timedelta(hours=1)
"""How old a stored `ApiToken.used_at` must be before a new use replaces it."""
LIFE = 60
"""For how many seconds a token stays cached, at most. `revoke` removes it at once."""


@dataclass(frozen=True, slots=True)
class Access:
    """The person for whom a token may act, and the scopes of the token."""

    token_id: int
    user_id: int
    scopes: tuple[str, ...]
    ends_at: float | None = None
    """When the token stops working, in seconds since 1970; None if it has no end."""


def create(*, user: User, name: str, scopes: Sequence[str], last_day: date | None = None) -> str:
    """Create a token and return it. It can't be read again later.

    If `last_day` (UTC) is not None, the token stops working after that day.

    Raises ValidationError if the person has too many tokens.
    """
    if ApiToken.objects.filter(user=user).count() >= MOST:
        raise ValidationError(_("You can have at most %(most)s tokens.") % {"most": MOST})
    token = token_urlsafe(32)
    ApiToken.objects.create(
        user=user, name=name, scopes=list(scopes), token_hash=_hash(token), last_day=last_day
    )
    return token


def revoke(*, user: User, token_id: int) -> None:
    """Make one of a person's tokens stop working. Safe to repeat."""
    for found in ApiToken.objects.filter(user=user, pk=token_id):
        found.delete()
        cache.delete(_cache_key(found.token_hash))


def cached(token: str) -> Access | None:
    """Return the owner and scopes of a token that was used a moment ago; None for others."""
    found = cache.get(_cache_key(_hash(token)))
    access = Access(*found) if found else None
    if access and access.ends_at and access.ends_at <= timezone.now().timestamp():
        return None
    return access


def find(token: str) -> Access | None:
    """Return the owner and scopes of a token, or None for an unknown token or one that ended."""
    token_hash = _hash(token)
    found = ApiToken.objects.filter(token_hash=token_hash).first()
    if found is None or found.has_ended:
        return None
    now = timezone.now()
    if found.used_at is None or now - found.used_at > REMEMBERED:
        ApiToken.objects.filter(pk=found.pk).update(used_at=now)
    ends_at = found.ends_at.timestamp() if found.ends_at else None
    access = Access(found.pk, found.user_id, tuple(found.scopes), ends_at)
    cache.set(_cache_key(token_hash), astuple(access), LIFE)
    return access


def _cache_key(token_hash: str) -> str:
    return f"api-token:{token_hash}"


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
