"""Creates, revokes and finds the tokens with which programs act for people."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import date, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from allauth.account.adapter import get_adapter
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import credentials, security_log
from forum.models import ApiToken, SecurityEvent, User

MOST = 20
"""The most tokens that a person can have."""
USUAL_LIFE = timedelta(days=90)
"""When a token ends, unless the person chooses another day."""
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


def create(
    *,
    user: User,
    name: str,
    scopes: Sequence[str],
    last_day: date | None = None,
    network: str = "",
) -> str:
    """Create a token, notify its owner by email, and return it. It can't be read again later.

    The token stops working after `last_day` (UTC), by default after 90 days. `network` is a hash
    for the security log.

    Raises ValidationError if the person has too many tokens.
    """
    if ApiToken.objects.filter(user=user).count() >= MOST:
        raise ValidationError(_("You can have at most %(most)s tokens.") % {"most": MOST})
    token = token_urlsafe(32)
    ApiToken.objects.create(
        user=user,
        name=name,
        scopes=list(scopes),
        token_hash=_hash(token),
        last_day=last_day or last_day_by_default(),
    )
    kind = SecurityEvent.Kind.TOKEN_CREATED
    security_log.record(kind, person_id=user.pk, network=network, details={"name": name})
    get_adapter().send_notification_mail("account/email/token_created", user, {"name": name})
    return token


def last_day_by_default() -> date:
    """Return the last day of a token that is created now."""
    return timezone.now().date() + USUAL_LIFE


def revoke(*, user: User, token_id: int, network: str = "") -> None:
    """Make one of a person's tokens stop working. Safe to repeat."""
    for found in ApiToken.objects.filter(user=user, pk=token_id):
        credentials.forget(found, network)


def cached(token: str) -> Access | None:
    """Return the owner and scopes of a token that was used a moment ago; None for others."""
    found = cache.get(ApiToken(token_hash=_hash(token)).cache_key)
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
    cache.set(found.cache_key, astuple(access), LIFE)
    return access


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
