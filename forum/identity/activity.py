"""Records in Redis which people were active on each UTC day, and archives the activity in SQL."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from forum.gateway.service import get_voting_service
from forum.models import ActivityPiece, User
from voting.errors import StoreUnavailable

MOST = 100_000
"""Maximum number of people whom a process remembers as recorded today. Then it forgets them all."""
DAYS = 400
"""How many days of activity, up to today, a rebuild loads from SQL."""


_recorded: dict[date, set[int]] = {}
"""The ids of the people whom this process has recorded, by day.

Just after midnight, some threads may still record people for the previous day.
"""


def record(user_id: int) -> None:
    """Record that a person is active today.

    Records nothing while Redis is unavailable.
    """
    activity = get_voting_service().activity
    today = activity.today()
    recorded = _recorded.get(today)
    if recorded is None or len(recorded) >= MOST:
        _recorded.clear()
        recorded = _recorded[today] = set()
    if user_id not in recorded:
        with suppress(StoreUnavailable):
            activity.record(user_id, today)
            recorded.add(user_id)


def forget() -> None:
    """Forget who this process has recorded as active today, so that it records them again."""
    _recorded.clear()


def recording(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: record that a member is active today, if the view asked who the viewer is.

    Records after the response was sent, so that nobody waits.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        person = getattr(request, "viewer", None)
        if person is not None:
            close = response.close

            def close_and_record() -> None:
                close()
                record(person.id)

            response.close = close_and_record  # type: ignore[method-assign]
        return response

    return middleware


def highest() -> int:
    """Return the highest person id, which is the length of the activity bitmaps."""
    return User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


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
    for piece, bits in get_voting_service().activity.bits(day, highest()).items():
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
