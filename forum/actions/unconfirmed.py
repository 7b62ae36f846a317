"""Accounts whose owner never confirmed an address or logged in: nobody sees them, and they end."""

from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError
from django.utils import timezone

from forum.actions import queue_items
from forum.models import ModAction, QueueItem, User

LIFE = timedelta(days=7)
"""How long an account waits for its first confirmation or log-in."""
BATCH = 500
"""The most accounts that are deleted at once."""


@transaction.atomic
def keep(person: User) -> None:
    """Make an account public, because its owner confirmed an address or logged in.

    An application to join enters the queue of the site's moderators.
    """
    if person.is_unconfirmed:
        person.is_unconfirmed = False
        person.save(update_fields=["is_unconfirmed"])
        if person.is_applicant:
            queue_items.open_item(person, QueueItem.Kind.APPLICATION)


def delete_old() -> None:
    """Delete accounts that waited too long, so that others can have their names.

    Accounts about which moderators have decided stay, because the log names them.
    """
    too_old = User.objects.filter(is_unconfirmed=True, date_joined__lt=timezone.now() - LIFE)
    in_log = Exists(ModAction.objects.filter(person=OuterRef("pk")))
    for person in too_old.exclude(in_log).order_by("pk")[:BATCH]:
        with suppress(ProtectedError):
            person.delete()
