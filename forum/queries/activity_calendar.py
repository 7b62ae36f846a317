"""Reads the calendar of the days on which a person was active."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

from django.db.models import BinaryField
from django.db.models.functions import Substr

from forum.models import ActivityPiece
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable

WEEKS = 53
WEEK = 7


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar. `here` says whether the person was active on that day."""

    date: date
    here: bool


@dataclass(frozen=True, slots=True)
class Calendar:
    """A person's active days in 53 weeks. Weeks begin on Monday; the last one ends today."""

    weeks: tuple[tuple[Day, ...], ...]
    this_month: int
    """The number of active days in the current month."""
    total: int

    @property
    def months(self) -> list[tuple[date, int, int]]:
        """For each month: (first day, number of days, number of active days). Latest first."""
        months: defaultdict[date, list[bool]] = defaultdict(list)
        for day in chain.from_iterable(self.weeks):
            months[day.date.replace(day=1)].append(day.here)
        return [(first, len(here), sum(here)) for first, here in reversed(months.items())]


def calendar_of(user_id: int) -> Calendar:
    """Return the calendar of a person's active days. Today counts as active.

    One round trip, or one query while Redis is unavailable.
    """
    activity = get_voting_service().activity
    today = activity.today()
    monday = today - timedelta(days=today.weekday() + (WEEKS - 1) * WEEK)
    days = [monday + timedelta(days=n) for n in range((today - monday).days + 1)]
    try:
        here = activity.days_of(user_id, days)
    except StoreUnavailable:
        here = _from_sql(user_id, days)
    here |= {today}  # today is recorded when the page is sent
    squares = [Day(day, day in here) for day in days]
    return Calendar(
        tuple(tuple(squares[start : start + WEEK]) for start in range(0, len(days), WEEK)),
        sum(day.replace(day=1) == today.replace(day=1) for day in here),
        len(here),
    )


def _from_sql(user_id: int, days: Collection[date]) -> frozenset[date]:
    """Return the days on which a person was active, from SQL. One query.

    SQL has one bit per person for each day. The query reads only the byte with the person's bit.
    """
    piece, bit = divmod(user_id, get_voting_service().activity.piece_size)
    byte = Substr("bits", bit // 8 + 1, 1, output_field=BinaryField())
    found = ActivityPiece.objects.filter(piece=piece, day__in=days).values_list("day", byte)
    return frozenset(day for day, bits in found if bits and bits[0] & 0x80 >> bit % 8)
