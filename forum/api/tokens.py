"""Creates, revokes and finds the tokens with which programs act for people."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import timedelta
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


def create(*, user: User, name: str, scopes: Sequence[str]) -> str:
    """Create a token and return it. It can't be read again later.

    Raises ValidationError if the person has too many tokens.
    """
    if ApiToken.objects.filter(user=user).count() >= MOST:
        raise ValidationError(_("You can have at most %(most)s tokens.") % {"most": MOST})
    token = token_urlsafe(32)
    ApiToken.objects.create(user=user, name=name, scopes=list(scopes), token_hash=_hash(token))
    return token


def revoke(*, user: User, token_id: int) -> None:
    """Make one of a person's tokens stop working. Safe to repeat."""
    for found in ApiToken.objects.filter(user=user, pk=token_id):
        found.delete()
        cache.delete(_cache_key(found.token_hash))


def cached(token: str) -> Access | None:
    """Return the owner and scopes of a token that was used a moment ago; None for others."""
    found = cache.get(_cache_key(_hash(token)))
    return Access(*found) if found else None


def find(token: str) -> Access | None:
    """Return the owner and scopes of a token, or None for an unknown token."""
    token_hash = _hash(token)
    found = ApiToken.objects.filter(token_hash=token_hash).first()
    if found is None:
        return None
    now = timezone.now()
    if found.used_at is None or now - found.used_at > REMEMBERED:
        ApiToken.objects.filter(pk=found.pk).update(used_at=now)
    access = Access(found.pk, found.user_id, tuple(found.scopes))
    cache.set(_cache_key(token_hash), astuple(access), LIFE)
    return access


def _cache_key(token_hash: str) -> str:
    return f"api-token:{token_hash}"


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
