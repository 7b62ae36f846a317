"""Unread inbox items of people, counted by type, for every page's header.

SQL has the items; here are only the counts, always written as SQL counted them and never added
up, so that telling twice does no harm and one telling heals whatever was missed.
"""

from collections.abc import Iterable
from itertools import islice

from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.readings import read
from voting.redis.scripts import Argument, Call
from voting.topics.unread import COUNTED_AT, reading
from voting.types.inbox import Unread

PUT = scripts.load("put_unread")
BATCH = 500
"""People told in one round trip."""


class Inbox:
    """Reached as `VotingService.inbox`; may raise StoreUnavailable."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, counts: Iterable[Unread]) -> None:
        """Replace people's counts. Older ones than are there change nothing.

        One round trip for 500 people. May be repeated.
        """
        self._put(counts, always=True)

    def fill(self, counts: Iterable[Unread]) -> None:
        """Replace the counts of everybody: as `put`, but who has none stays without a key.

        Only whoever changed something must leave when they counted, or an earlier count undoes it.
        """
        self._put(counts, always=False)

    def _put(self, counts: Iterable[Unread], *, always: bool) -> None:
        remaining = iter(counts)
        while batch := list(islice(remaining, BATCH)):
            self._store.run(*(_put_call(one, always=always) for one in batch))

    def unread(self, user_id: int) -> Unread:
        """Return a person's counts. One round trip."""
        return read(self._store, reading(user_id))


def _put_call(one: Unread, *, always: bool) -> Call:
    counts: list[Argument] = []
    for kind, number in one.by_type.items():
        counts += (kind, number)
    return PUT((people.unread(one.user_id),), one.counted_at, COUNTED_AT, int(always), *counts)
