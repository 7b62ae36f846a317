"""Creates, revokes and finds the tokens with which programs act for people."""

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.models import ApiToken, User

MOST = 20
"""The most tokens that a person can have."""
REMEMBERED = timedelta(hours=1)
"""How old `ApiToken.used_at` gets before a use is stored again."""


def create(*, user: User, name: str, scopes: Sequence[str]) -> str:
    """Create a token and return it. It can't be read again later. Two queries.

    Raises ValidationError if the person has too many tokens.
    """
    if ApiToken.objects.filter(user=user).count() >= MOST:
        raise ValidationError(_("You can have at most %(most)s tokens.") % {"most": MOST})
    token = token_urlsafe(32)
    ApiToken.objects.create(user=user, name=name, scopes=list(scopes), token_hash=_hash(token))
    return token


def revoke(*, user: User, token_id: int) -> None:
    """Make one of a person's tokens stop working. Safe to repeat. One query."""
    ApiToken.objects.filter(user=user, pk=token_id).delete()


def find(token: str) -> ApiToken | None:
    """Return a token with its owner, or None. Tokens of disabled accounts don't work.

    One query, and another about once an hour.
    """
    tokens = ApiToken.objects.select_related("user").filter(user__is_active=True)
    found = tokens.filter(token_hash=_hash(token)).first()
    now = timezone.now()
    if found and (found.used_at is None or now - found.used_at > REMEMBERED):
        ApiToken.objects.filter(pk=found.pk).update(used_at=now)
    return found


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
