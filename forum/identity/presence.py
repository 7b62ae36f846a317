"""Who was here on which UTC day: recorded once per process, archived by the worker."""

from collections.abc import Callable
from datetime import date, timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from forum.gateway.service import get_voting_service
from forum.models import ActivityPiece, User
from voting.errors import StoreUnavailable

MOST = 100_000
"""People of today that this process remembers; beyond that it records everybody once more."""
DAYS = 400
"""Days that a rebuild restores."""


class Presence:
    """Who this process has recorded today."""

    def __init__(self) -> None:
        self._noted: tuple[date | None, set[int]] = None, set()
        """A day and its people, in one tuple: threads may reach the next day while others write."""

    def note(self, user_id: int) -> None:
        """Record that a person is here. One round trip for the first time in a day, then none.

        Nobody is recorded while Redis is unavailable.
        """
        activity = get_voting_service().activity
        today = activity.today()
        day, noted = self._noted
        if today != day or len(noted) >= MOST:
            noted = set()
            self._noted = today, noted
        if user_id in noted:
            return
        try:
            activity.record(user_id, today)
        except StoreUnavailable:
            return
        noted.add(user_id)

    def forget(self) -> None:
        """Record everybody again, for tests and after a rebuild."""
        self._noted = None, set()


presence = Presence()


def noting(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: record the viewer, if the page asked for one, after the response was sent, so
    that nobody waits.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        person = getattr(request, "viewer", None)
        if person is not None:
            close = response.close

            def close_and_note() -> None:
                close()
                presence.note(person.id)

            response.close = close_and_note  # type: ignore[method-assign]
        return response

    return middleware


def highest() -> int:
    """Return the highest id of a person, which is the length of the bitmaps. One query."""
    return User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def keep() -> None:
    """Archive who was here yesterday and today. Raises StoreUnavailable."""
    today = get_voting_service().activity.today()
    for day in (today - timedelta(days=1), today):
        archive(day)


def archive(day: date) -> None:
    """Add who was here on a day to SQL. One round trip and two queries for 2^20 people.

    Nobody is ever removed, so that nobody is lost with Redis.
    """
    for piece, bits in get_voting_service().activity.bits(day, highest()).items():
        with transaction.atomic():
            kept, _made = ActivityPiece.objects.select_for_update().get_or_create(
                day=day, piece=piece, defaults={"bits": bits}
            )
            together = _either(bytes(kept.bits), bits)
            if together != kept.bits:
                kept.bits = together
                kept.save(update_fields=["bits"])


def fill() -> None:
    """Load who was here from SQL into Redis. One round trip for each day and 2^20 people."""
    activity = get_voting_service().activity
    since = activity.today() - timedelta(days=DAYS)
    for kept in ActivityPiece.objects.filter(day__gte=since).iterator(chunk_size=10):
        activity.fill(kept.day, kept.piece, bytes(kept.bits))


def _either(one: bytes, other: bytes) -> bytes:
    """Return the union of two bitmaps."""
    length = max(len(one), len(other))
    padded = (int.from_bytes(bits.ljust(length, b"\0")) for bits in (one, other))
    return (next(padded) | next(padded)).to_bytes(length)
