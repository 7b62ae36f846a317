"""Keeps rankings true on a cluster, where they follow a vote in a step of their own.

A step is lost where its process dies before it, where the rankings' server is away, or where that
server dies before its replica has it. The reader of the ledger has each post it reads about ranked
again, before it counts the entries as archived; and where slots have moved between servers since,
also all posts of the last minutes.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic

from voting import keys
from voting.errors import StoreEmpty
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.types import Rules

RETELL = scripts.load_ruled("retell")
MEMORY = 120.0
"""Seconds for which posts are remembered: longer than replicas lag and a failover takes."""
BATCH = 500
"""Posts ranked again in two round trips."""


class Healing:
    """The posts that one reader of the ledger has had ranked again."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now
        self._moves = 0
        self._lately: dict[int, float] = {}

    def rerank(self, post_ids: Iterable[int]) -> None:
        """Write posts' places in rankings again, as their own slots know them; none on one server.

        Two round trips for 500 posts.
        """
        if not self._store.apart:
            return
        wanted, moment, moves = dict.fromkeys(post_ids, monotonic()), monotonic(), self._store.moves
        lately = {one: at for one, at in self._lately.items() if at > moment - MEMORY} | wanted
        told = list(lately if moves != self._moves else wanted)
        with suppress(StoreEmpty):  # then a rebuild will rank them all
            for start in range(0, len(told), BATCH):
                self._store.run(*(self._call(one) for one in told[start : start + BATCH]))
        self._lately, self._moves = lately, moves

    def _call(self, post_id: int) -> Call:
        generation = keys.generation(keys.shard_tag(keys.shard(post_id)))
        return RETELL(self._rules)((keys.post(post_id), generation), self._now())
