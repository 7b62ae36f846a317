"""Accounts whose owner never confirmed an address or logged in: nobody sees them, and they end."""

from contextlib import suppress
from datetime import timedelta

from django.db.models import ProtectedError
from django.utils import timezone

from forum.models import User

LIFE = timedelta(days=7)
"""How long an account waits for its first confirmation or log-in."""
BATCH = 500
"""The most accounts that are deleted at once."""


def keep(person: User) -> None:
    """Make an account public, because its owner confirmed an address or logged in."""
    if person.is_unconfirmed:
        person.is_unconfirmed = False
        person.save(update_fields=["is_unconfirmed"])


def delete_old() -> None:
    """Delete accounts that waited too long, so that others can have their names.

    Accounts about which moderators have decided stay, because the log names them.
    """
    too_old = User.objects.filter(is_unconfirmed=True, date_joined__lt=timezone.now() - LIFE)
    for person in too_old.order_by("pk")[:BATCH]:
        with suppress(ProtectedError):
            person.delete()
