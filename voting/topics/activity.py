"""Counts who used the site on each UTC day, with one bit per person and day.

A day's bits are divided into pieces, each with the bits of 2^20 people (128 kB), so that no command
takes long. Some methods need the highest user id (`highest`) to know how many pieces there are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from typing import Any

from voting.keys import daily
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Argument

COUNT = scripts.load("count_active")
FILL = scripts.load("fill_activity")
PIECE = daily.ACTIVITY_BITS
EVERY, ANY = "AND", "OR"

Bitmaps = Mapping[int, bytes]
"""A set of people, as piece number -> bitmap of 2^20 people."""


class Activity:
    """Who was active on which day. Methods raise StoreUnavailable if Redis is down."""

    piece_size = PIECE
    """The number of people in one piece of a day's bitmap."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    def today(self) -> date:
        """Return the current UTC day. No round trip."""
        return daily.day_of(self._now())

    def record(self, user_id: int, day: date | None = None) -> None:
        """Record that a person is active on a day, by default today. One round trip."""
        day = day or self.today()
        piece, bit = divmod(user_id, PIECE)
        key = daily.activity(piece, day.isoformat())
        with self._store.pipeline() as pipeline:
            pipeline.setbit(key, bit, 1)
            pipeline.expireat(key, _expiry(day))
            pipeline.execute()

    def on(self, day: date, highest: int) -> int:
        """Return how many people were active on a day. One round trip."""
        with self._store.pipeline() as pipeline:
            for piece in _pieces(highest):
                pipeline.bitcount(daily.activity(piece, day.isoformat()))
            return sum(pipeline.execute())

    def on_every(self, days: Collection[date], highest: int) -> int:
        """Return how many people were active on all of the days. One round trip per 2^20 ids."""
        return self._count(EVERY, days, dict.fromkeys(_pieces(highest)))

    def on_any(self, days: Collection[date], highest: int) -> int:
        """Return how many people were active on any of the days. One round trip per 2^20 ids."""
        return self._count(ANY, days, dict.fromkeys(_pieces(highest)))

    def among(self, days: Collection[date], people: Bitmaps) -> int:
        """Return how many of the given people were active on at least one of the days.

        One round trip per 2^20 user ids.
        """
        return self._count(ANY, days, people)

    def days_of(self, user_id: int, days: Collection[date]) -> frozenset[date]:
        """Return on which of these days a person was active. One round trip."""
        piece, bit = divmod(user_id, PIECE)
        with self._store.pipeline() as pipeline:
            for day in days:
                pipeline.getbit(daily.activity(piece, day.isoformat()), bit)
            bits = pipeline.execute()
        return frozenset(day for day, active in zip(days, bits, strict=True) if active)

    @staticmethod
    def bitmaps(user_ids: Iterable[int]) -> Bitmaps:
        """Convert user ids to bitmaps with the bit order of Redis. No round trip."""
        pieces: dict[int, bytearray] = {}
        for user_id in user_ids:
            piece, bit = divmod(user_id, PIECE)
            bits = pieces.setdefault(piece, bytearray(PIECE // 8))
            bits[bit >> 3] |= 0x80 >> (bit & 7)
        return {piece: bytes(bits) for piece, bits in pieces.items()}

    # Archive

    def bits(self, day: date, highest: int) -> dict[int, bytes]:
        """Return who was active on a day, as a dict from piece number to bitmap.

        A piece covers 2^20 user ids. Pieces in which nobody was active are left out. One round trip
        per piece.
        """
        found = {
            piece: self._store.raw("GET", daily.activity(piece, day.isoformat()))
            for piece in _pieces(highest)
        }
        return {piece: bits for piece, bits in found.items() if bits}

    def fill(self, day: date, piece: int, bits: bytes) -> None:
        """Record that people were active on a day. One round trip.

        `piece` is the number of a range of 2^20 user ids. `bits` has one bit for each of these ids.
        """
        key = daily.activity(piece, day.isoformat())
        self._store.run(FILL((key, daily.activity_work(piece)), bits, _expiry(day)))

    def _count(self, operation: str, days: Collection[date], people: Mapping[int, Any]) -> int:
        total = 0
        for piece, bits in people.items():
            sources = [daily.activity(piece, day.isoformat()) for day in days]
            work = daily.activity_work(piece), daily.activity_work(piece, "people")
            only: tuple[Argument, ...] = () if bits is None else (bits,)
            total += self._store.run(COUNT((*work, *sources), operation, *only))[0]
        return total


def _pieces(highest: int) -> range:
    return range(highest // PIECE + 1)


def _expiry(day: date) -> int:
    return daily.day_end(day) + daily.ACTIVITY_LIFE
