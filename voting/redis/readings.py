"""Readings: what topics ask and what they make of the replies, so that a page asks several at once.

The replies are those of Redis itself, as scripts get them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from voting.redis.connection import Store
from voting.redis.scripts import Asked

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Reading(Generic[Answer]):
    """Scripts and commands that read, or may be repeated, and what makes an answer of their
    replies, which may raise.
    """

    calls: Sequence[Asked]
    decode: Callable[[Sequence[Any]], Answer]


def read(store: Store, reading: Reading[Answer], *, from_copies: bool = False) -> Answer:
    """Return the answer; with `from_copies`, a replica may give it. One round trip."""
    calls = reading.calls
    return reading.decode(store.run(*calls, from_copies=from_copies) if calls else ())


def read_all(store: Store, *readings: Reading[Any], from_copies: bool = False) -> list[Any]:
    """Return the answers to what is asked together. One round trip; none where nothing is asked."""
    calls = list(chain.from_iterable(one.calls for one in readings))
    replies = iter(store.run(*calls, from_copies=from_copies) if calls else ())
    return [one.decode(list(islice(replies, len(one.calls)))) for one in readings]
