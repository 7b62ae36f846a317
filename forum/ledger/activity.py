"""Archives in SQL which people were active on each UTC day, and loads that into Redis."""

from datetime import date, timedelta

from django.db import transaction

from forum.models import ActivityPiece
from forum.queries.people import highest_id
from forum.store.service import get_voting_service

DAYS = 400
"""How many days of activity, up to today, a rebuild loads from SQL."""


def archive_recent() -> None:
    """Archive the activity of yesterday and today in SQL.

    Raises StoreUnavailable if Redis is unavailable.
    """
    today = get_voting_service().activity.today()
    for day in (today - timedelta(days=1), today):
        archive(day)


def archive(day: date) -> None:
    """Archive in SQL which people were active on a day.

    Activity that is already in SQL stays there, even if Redis has lost it.
    """
    for piece, bits in get_voting_service().activity.bits(day, highest_id()).items():
        with transaction.atomic():
            stored, _created = ActivityPiece.objects.select_for_update().get_or_create(
                day=day, piece=piece, defaults={"bits": bits}
            )
            union = _union(bytes(stored.bits), bits)
            if union != stored.bits:
                stored.bits = union
                stored.save(update_fields=["bits"])


def load() -> None:
    """Load activity from SQL into Redis."""
    activity = get_voting_service().activity
    since = activity.today() - timedelta(days=DAYS)
    for stored in ActivityPiece.objects.filter(day__gte=since).iterator(chunk_size=10):
        activity.fill(stored.day, stored.piece, bytes(stored.bits))


def _union(one: bytes, other: bytes) -> bytes:
    length = max(len(one), len(other))
    padded = (int.from_bytes(bits.ljust(length, b"\0")) for bits in (one, other))
    return (next(padded) | next(padded)).to_bytes(length)
