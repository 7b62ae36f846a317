"""Unread counts, which every page shows: how many inbox items a person has not read.

SQL has the items. The counts in Redis are always replaced by counts from SQL, never incremented. So
each new count corrects all earlier errors.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from types import MappingProxyType

from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.queries import Query, fetch
from voting.redis.scripts import Argument, Call
from voting.types.inbox import UnreadCounts

PUT = scripts.load("put_unread")
READ = scripts.load("unread")
BATCH = 500
"""People whose counts are written in one round trip."""
COUNTED_AT = "@"
"""The field with the time when the items were counted. No type of inbox item has this name."""


class Inbox:
    """Unread counts of all people. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, counts: Iterable[UnreadCounts]) -> None:
        """Replace people's unread counts, unless Redis has newer counts.

        One round trip per 500 people.
        """
        self._put(counts, always=True)

    def fill(self, counts: Iterable[UnreadCounts]) -> None:
        """Replace everybody's unread counts, unless Redis has newer counts.

        Creates no key for a person without unread items. One round trip per 500 people.
        """
        self._put(counts, always=False)

    def _put(self, counts: Iterable[UnreadCounts], *, always: bool) -> None:
        remaining = iter(counts)
        while batch := list(islice(remaining, BATCH)):
            self._store.run(*(_put_call(one, always=always) for one in batch))

    def unread(self, user_id: int) -> UnreadCounts:
        """Return a person's unread counts. One round trip."""
        return fetch(self._store, unread_query(user_id))


def unread_query(user_id: int) -> Query[UnreadCounts]:
    """Return the query for a person's unread counts."""
    return Query((unread_call(user_id),), lambda replies: decode_unread(user_id, replies[0]))


def unread_call(user_id: int) -> Call:
    """Return the call that reads a person's unread counts."""
    return READ((people.unread(user_id),))


def decode_unread(user_id: int, reply: Sequence[str]) -> UnreadCounts:
    """Decode the reply to `unread_call`."""
    fields = dict(zip(reply[::2], map(int, reply[1::2]), strict=True))
    counted_at = fields.pop(COUNTED_AT, 0)
    return UnreadCounts(user_id, MappingProxyType(fields), counted_at)


def _put_call(one: UnreadCounts, *, always: bool) -> Call:
    counts: list[Argument] = []
    for kind, number in one.by_type.items():
        counts += (kind, number)
    return PUT((people.unread(one.user_id),), one.counted_at, COUNTED_AT, int(always), *counts)
