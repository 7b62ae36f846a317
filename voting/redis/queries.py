"""A query: calls to Redis, and a function that decodes the replies to these calls.

A page runs the queries of several topics in one round trip. The decoding functions get the replies
of Redis unchanged, not parsed by redis-py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from voting.redis.connection import Store
from voting.redis.scripts import Request

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Query(Generic[Answer]):
    """Calls to Redis that are safe to repeat, and a function that decodes the replies.

    The function can also raise an error, such as UnknownTarget.
    """

    calls: Sequence[Request]
    decode: Callable[[Sequence[Any]], Answer]


def fetch(store: Store, query: Query[Answer]) -> Answer:
    """Run a query and return its answer. One round trip."""
    calls = query.calls
    return query.decode(store.run(*calls) if calls else ())


def fetch_all(store: Store, *queries: Query[Any]) -> list[Any]:
    """Run several queries in one round trip and return their answers in order."""
    calls = list(chain.from_iterable(query.calls for query in queries))
    replies = iter(store.run(*calls) if calls else ())
    return [query.decode(list(islice(replies, len(query.calls)))) for query in queries]
