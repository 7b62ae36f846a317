"""Spam windows: a subject may do a thing so often within so many seconds, and no more.

Counted by the hit, not by the clock's minute, so that nobody gets twice the number around its
turn. All windows of a thing are asked at once, and a refused hit counts in none of them: who
waits as long as was said gets through.
"""

from collections.abc import Callable
from hashlib import blake2b
from math import ceil

from voting.errors import Throttled
from voting.keys.daily import window
from voting.redis import scripts
from voting.redis.connection import Store
from voting.topics.windows import hit_arguments, times_key, window_arguments
from voting.types.limits import Pace

WINDOW = scripts.load("window")


class Limits:
    """What people and addresses did lately. Reached as `VotingService.limits`."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def check(self, pace: Pace, text: str = "") -> None:
        """Count one hit. One round trip.

        Raises Throttled where a window is full, or where `text` came within `pace.same_text`
        seconds (then nothing is counted), and StoreUnavailable. Exactly as many parallel hits
        pass as a window allows.
        """
        call = WINDOW(
            (times_key(pace), _texts_key(pace)),
            *hit_arguments(self._clock()),
            _digest(text) if pace.same_text else "",
            pace.same_text * 1_000,
            *window_arguments(pace),
        )
        wait, same = self._store.run(call)[0]
        if wait:
            raise Throttled(ceil(wait / 1_000), repeated=bool(same))

    def forget_text(self, pace: Pace, text: str) -> None:
        """Let a text come again that came to nothing; the hit stays counted. One round trip."""
        self._store.command("ZREM", _texts_key(pace), _digest(text))


def _texts_key(pace: Pace) -> str:
    return window(f"{pace.action}:texts", pace.subject)


def _digest(text: str) -> str:
    """Return what stands for a text, "" for none; capitals and white space make no difference."""
    plain = " ".join(text.casefold().split())
    return blake2b(plain.encode(), digest_size=12).hexdigest() if plain else ""
