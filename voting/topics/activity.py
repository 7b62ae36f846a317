"""Activity: a bit for each person and UTC day, in pieces of 2^20 people.

Reached as `VotingService.activity`; all methods that ask Redis may raise StoreUnavailable.

A piece of a day is 128 kB at most, so that no command takes long however many people there are;
pieces are asked for one after another, so that others get their turn between them. `highest` is
the highest id of a person: it says how many pieces there are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from typing import Any

from voting.keys import daily
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Argument
from voting.topics.days import day_of, ends

PRESENT = scripts.load("present")
ATTEND = scripts.load("attend")
PIECE = daily.ACTIVITY_BITS
EVERY, ANY = "AND", "OR"

People = Mapping[int, bytes]
"""Some people as bitmaps, a piece each."""


class Activity:
    """Who was here on which day."""

    piece_size = PIECE
    """People in a piece."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    def today(self) -> date:
        """Return the present UTC day. No round trip."""
        return day_of(self._now())

    def be_here(self, user_id: int, day: date | None = None) -> None:
        """Note that a person is here on a day, today unless said. One round trip."""
        day = day or self.today()
        piece, bit = divmod(user_id, PIECE)
        key = daily.activity(piece, day.isoformat())
        with self._store.pipeline() as pipeline:
            pipeline.setbit(key, bit, 1)
            pipeline.expireat(key, _ending(day))
            pipeline.execute()

    def here(self, day: date, highest: int) -> int:
        """Return how many people were here on a day. One round trip."""
        with self._store.pipeline() as pipeline:
            for piece in _pieces(highest):
                pipeline.bitcount(daily.activity(piece, day.isoformat()))
            return sum(pipeline.execute())

    def here_every(self, days: Collection[date], highest: int) -> int:
        """Return how many people were here on every one of some days. One round trip a piece."""
        return self._present(EVERY, days, dict.fromkeys(_pieces(highest)))

    def here_any(self, days: Collection[date], highest: int) -> int:
        """Return how many people were here on any of some days. One round trip a piece."""
        return self._present(ANY, days, dict.fromkeys(_pieces(highest)))

    def here_among(self, days: Collection[date], people: People) -> int:
        """Return how many of these people were here on any of some days. A round trip a piece."""
        return self._present(ANY, days, people)

    def here_none(self, days: Collection[date], registered: People) -> int:
        """Return how many of those registered were here on none of some days.

        They are counted as those registered without those of them who were here: a NOT of the
        days' bitmap would also count ids that nobody has, up to the end of the last byte, and
        leave out everybody beyond it. One round trip a piece.
        """
        counted = sum(int.from_bytes(bits).bit_count() for bits in registered.values())
        return counted - self._present(ANY, days, registered)

    def days_of(self, user_id: int, days: Collection[date]) -> frozenset[date]:
        """Return those of some days on which a person was here. One round trip."""
        piece, bit = divmod(user_id, PIECE)
        with self._store.pipeline() as pipeline:
            for day in days:
                pipeline.getbit(daily.activity(piece, day.isoformat()), bit)
            found = pipeline.execute()
        return frozenset(day for day, here in zip(days, found, strict=True) if here)

    @staticmethod
    def people(user_ids: Iterable[int]) -> People:
        """Return people as bitmaps, spelled as Redis spells them. No round trip."""
        pieces: dict[int, bytearray] = {}
        for user_id in user_ids:
            piece, bit = divmod(user_id, PIECE)
            bits = pieces.setdefault(piece, bytearray(PIECE // 8))
            bits[bit >> 3] |= 0x80 >> (bit & 7)
        return {piece: bytes(bits) for piece, bits in pieces.items()}

    # Archive

    def bits(self, day: date, highest: int) -> dict[int, bytes]:
        """Return the pieces of a day in which anybody was here. One round trip a piece."""
        found = {
            piece: self._store.raw("GET", daily.activity(piece, day.isoformat()))
            for piece in _pieces(highest)
        }
        return {piece: bits for piece, bits in found.items() if bits}

    def fill(self, day: date, piece: int, bits: bytes) -> None:
        """Add archived people to those who were here on a day. One round trip."""
        key = daily.activity(piece, day.isoformat())
        self._store.run(ATTEND((key, daily.activity_work(piece)), bits, _ending(day)))

    def _present(self, how: str, days: Collection[date], people: Mapping[int, Any]) -> int:
        total = 0
        for piece, bits in people.items():
            spelled = [daily.activity(piece, day.isoformat()) for day in days]
            work = daily.activity_work(piece), daily.activity_work(piece, "people")
            only: tuple[Argument, ...] = () if bits is None else (bits,)
            total += self._store.run(PRESENT((*work, *spelled), how, *only))[0]
        return total


def _pieces(highest: int) -> range:
    return range(highest // PIECE + 1)


def _ending(day: date) -> int:
    return ends(day) + daily.ACTIVITY_LIFE
