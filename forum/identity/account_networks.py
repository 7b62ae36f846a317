"""Records from which networks people use the site, as keyed hashes, for 30 days.

So the worker finds several accounts of one network that vote on the same things.
"""

from contextlib import suppress
from datetime import UTC, timedelta

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.network import month_of, network_hash
from forum.models import AccountNetwork

KEPT = timedelta(days=30)
"""How long the networks of accounts are kept."""


def note_network(person_id: int, request: HttpRequest) -> None:
    """Record that a person uses the network of a request today. Written once a day; one query.

    Records nothing while SQL is down.
    """
    now = timezone.now()
    seen = AccountNetwork(
        person_id=person_id,
        day=now.astimezone(UTC).date(),
        month=month_of(now),
        network=network_hash(request, now),
    )
    with suppress(DatabaseError):
        AccountNetwork.objects.bulk_create([seen], ignore_conflicts=True)


def delete_old() -> None:
    """Delete what was recorded more than 30 days ago."""
    AccountNetwork.objects.filter(day__lt=(timezone.now() - KEPT).date()).delete()
