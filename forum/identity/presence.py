"""Who is here: noted once a person, UTC day and process, and archived by the worker."""

from collections.abc import Callable
from datetime import date, timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from forum.gateway.service import get_voting_service
from forum.models import ActivityPiece, User
from voting.errors import StoreUnavailable

REMEMBERED = 100_000
"""People of today this process remembers; beyond them all are forgotten and noted once more."""
KEPT_DAYS = 400


class Presence:
    """Who this process has noted today."""

    def __init__(self) -> None:
        self._noted: tuple[date | None, set[int]] = None, set()
        """Of a day; both in one, since threads turn to the next day while others still write."""

    def note(self, user_id: int) -> None:
        """Note that a person is here. One round trip at the first time of a day, then none.

        While Redis is away nobody is noted.
        """
        activity = get_voting_service().activity
        today = activity.today()
        day, noted = self._noted
        if today != day or len(noted) >= REMEMBERED:
            noted = set()
            self._noted = today, noted
        if user_id in noted:
            return
        try:
            activity.be_here(user_id, today)
        except StoreUnavailable:
            return
        noted.add(user_id)

    def forget(self) -> None:
        """Note everybody again."""
        self._noted = None, set()


presence = Presence()


def noting(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: note whoever was asked for (`forum.identity.viewers`), when the page is sent: the
    server closes it then, and nobody waits.
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
    """Return the highest id of a person: how far bitmaps reach. One query."""
    return User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def keep() -> None:
    """Archive who was here today and yesterday. Raises StoreUnavailable."""
    today = get_voting_service().activity.today()
    for day in (today - timedelta(days=1), today):
        archive(day)


def archive(day: date) -> None:
    """Add who was here on a day to the archive. A round trip and two queries for 2^20 people.

    Nobody is ever taken out, so a Redis that was emptied meanwhile takes nobody with it.
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
    """Bring back who was here, as the archive knows it. A round trip for each day and piece."""
    activity = get_voting_service().activity
    since = activity.today() - timedelta(days=KEPT_DAYS)
    for kept in ActivityPiece.objects.filter(day__gte=since).iterator(chunk_size=10):
        activity.fill(kept.day, kept.piece, bytes(kept.bits))


def _either(one: bytes, other: bytes) -> bytes:
    """Return the people of either bitmap."""
    length = max(len(one), len(other))
    padded = (int.from_bytes(bits.ljust(length, b"\0")) for bits in (one, other))
    return (next(padded) | next(padded)).to_bytes(length)
