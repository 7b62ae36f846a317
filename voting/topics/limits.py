"""Rate limits: how often a subject, such as a person, may do an action.

A hit is one action under a rate limit. A window of 60 seconds covers the 60 seconds before each new
hit, not a calendar minute. A hit over the limit is not recorded, so a refused attempt doesn't make
the person wait longer.
"""

from collections.abc import Callable
from hashlib import blake2b
from math import ceil
from secrets import token_hex

from voting import keys
from voting.errors import Throttled
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Argument
from voting.types.limits import RateLimit

WINDOW = scripts.load("window")


class Limits:
    """Rate limits of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def check(self, limit: RateLimit, text: str = "") -> None:
        """Count one action towards a rate limit. One round trip.

        Raises Throttled, and counts nothing, if the limit is reached, or if the same `text` was
        sent within `limit.same_text` seconds. Simultaneous calls can't exceed the limit either.
        """
        call = WINDOW(
            (hits_key(limit), _texts_key(limit)),
            *hit_arguments(self._clock()),
            _checksum(text) if limit.same_text else "",
            limit.same_text * 1_000,
            *window_arguments(limit),
        )
        wait, same, _hits = self._store.run(call)[0]
        if wait:
            raise Throttled(ceil(wait / 1_000), repeated=bool(same))

    def peek(self, limit: RateLimit) -> None:
        """Raise Throttled if a rate limit is reached. Counts nothing. A round trip per window."""
        now, key = int(self._clock() * 1_000), hits_key(limit)
        for window in limit.windows:
            filling = self._store.command("ZRANGE", key, -window.hits, -window.hits, "WITHSCORES")
            wait = int(filling[1]) + window.seconds * 1_000 - now if filling else 0
            if wait > 0:
                raise Throttled(ceil(wait / 1_000))

    def forget_text(self, limit: RateLimit, text: str) -> None:
        """Allow a person or network to send the same text again, because it was not saved.

        The first attempt still counts as an action under the rate limit. One round trip.
        """
        self._store.command("ZREM", _texts_key(limit), _checksum(text))


def hits_key(limit: RateLimit) -> str:
    """Return the key of the hits (counted actions) of a subject, such as a person."""
    return keys.window(limit.action, limit.subject)


def hit_arguments(now: float) -> tuple[Argument, ...]:
    """Return the time (ms) and a unique name for a new hit (an action under a rate limit).

    Because of the name, a hit that is sent to Redis twice counts once.
    """
    return int(now * 1_000), token_hex(6)


def window_arguments(limit: RateLimit) -> tuple[Argument, ...]:
    """Return each window's number of allowed hits and its length (ms), as arguments for Lua."""
    return tuple(part for one in limit.windows for part in (one.hits, one.seconds * 1_000))


def _texts_key(limit: RateLimit) -> str:
    return keys.window(f"{limit.action}:texts", limit.subject)


def _checksum(text: str) -> str:
    """Return a checksum of a text, which ignores case and white space; "" without a text."""
    plain = " ".join(text.casefold().split())
    return blake2b(plain.encode(), digest_size=12).hexdigest() if plain else ""
