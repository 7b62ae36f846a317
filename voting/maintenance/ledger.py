"""The ledger: every accepted vote, in order, until it is archived in SQL.

The voting scripts append entries to one stream per shard. Several processes (readers) share the
work of archiving. A reader takes leases on some shards, reads their new entries, and deletes the
entries that SQL has.

On a cluster, one script counts a vote and another changes the rankings. If a process or server dies
between the two, the rankings miss the vote. So before a reader marks votes on a post as archived,
it writes the post's scores to the rankings again. After keys have moved to another server, the
reader also does this for all posts that got votes in the last two minutes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from voting import keys
from voting.errors import StoreEmpty
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.types import Rules, Target, Vote
from voting.types.maintenance import VoteEntry, in_order

TAKE_LEASE = scripts.load("take_lease")
RELEASE_LEASE = scripts.load("release_lease")
READERS = scripts.load("readers")
LOST_ENTRY = scripts.load("lost_entry")
SKIP_TO_ENTRY = scripts.load("skip_to_entry")
RERANK = scripts.load_ruled("rerank")
LEASE_MS = 15_000
"""Milliseconds until a lease ends. The holder can extend the lease before that."""
BEGINNING = "0-0"
BATCH = 500
"""One read returns at most this many entries of each shard."""
RERANK_SECONDS = 120.0
"""Seconds for which a reader remembers a ranked post, to rank it again after slots have moved.

This is longer than a failover takes, and longer than the lag of replicas.
"""
RERANK_BATCH = 500
"""The most posts that are ranked again at a time. This takes two round trips."""


class Ledger:
    """The ledger of one site, for the processes that archive it."""

    shards = range(keys.SHARDS)
    batch = BATCH
    """The most entries that one `read` returns per shard. If it returns fewer, none are left."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now
        self._slot_moves = 0
        self._reranked: dict[int, float] = {}

    # Leases

    def take_leases(self, reader: str) -> frozenset[int]:
        """Take leases on a reader's share of the shards, and return these shards. Two round trips.

        A reader is a process that archives votes. The shards are shared equally among all readers
        that called this method within the last 15 seconds. To keep its leases, a reader must call
        again within 15 seconds. Releases the reader's leases on all other shards.
        """
        readers = sorted(self._store.run(READERS((keys.readers(),), reader, LEASE_MS))[0])
        share, shares = readers.index(reader), len(readers)
        calls = [
            TAKE_LEASE((keys.lease(shard),), reader, LEASE_MS)
            if shard % shares == share
            else RELEASE_LEASE((keys.lease(shard),), reader)
            for shard in self.shards
        ]
        replies = self._store.run(*calls)
        return frozenset(shard for shard, taken in zip(self.shards, replies, strict=True) if taken)

    def drop_leases(self, reader: str) -> None:
        """Release all leases of `reader`, a process that archives votes. Two round trips."""
        self._store.command("ZREM", keys.readers(), reader)
        self._store.run(*(RELEASE_LEASE((keys.lease(shard),), reader) for shard in self.shards))

    def take_rebuild_lease(self, builder: str) -> bool:
        """Take or extend the lease to rebuild the store, for the process named `builder`.

        Returns False if another process has the lease. The lease lasts 15 seconds. One round trip.
        """
        return bool(self._store.run(TAKE_LEASE((keys.rebuild_lease(),), builder, LEASE_MS))[0])

    def drop_rebuild_lease(self, builder: str) -> None:
        """Release the lease that allows this process to rebuild the store. One round trip."""
        self._store.run(RELEASE_LEASE((keys.rebuild_lease(),), builder))

    # Entries

    def read(self, cursors: Mapping[int, str], *, block_ms: int | None = None) -> list[VoteEntry]:
        """Return the next ledger entries of some shards, oldest first. One round trip.

        `cursors` maps each shard to the id of the entry after which to read. Returns at most
        `BATCH` entries per shard. If there are no entries, waits up to `block_ms` for new ones.
        `block_ms` must be less than the timeout of the connection.
        """
        wait: tuple[str | int, ...] = () if block_ms is None else ("BLOCK", block_ms)
        streams = [keys.ledger(shard) for shard in cursors]
        reply = self._store.command(
            *("XREAD", "COUNT", BATCH, *wait, "STREAMS", *streams, *cursors.values())
        )
        shard_of = dict(zip(streams, cursors, strict=True))
        return [
            _entry(shard_of[stream], entry_id, fields)
            for stream, entries in reply or ()
            for entry_id, fields in entries
        ]

    def read_again(self, archived: Mapping[int, str]) -> Iterator[list[VoteEntry]]:
        """Yield batches of archived entries that are still in the ledger, oldest first per shard.

        `archived` contains the id of each shard's last archived entry. Each round trip reads up to
        `batch` entries of every shard.
        """
        cursors = dict.fromkeys(archived, BEGINNING)
        while cursors:
            entries = [
                entry
                for entry in self.read(cursors)
                if in_order(entry.id) <= in_order(archived[entry.shard])
            ]
            if entries:
                yield entries
            cursors = {entry.shard: entry.id for entry in entries}

    def trim(self, archived: Mapping[int, str]) -> None:
        """Delete archived entries from the ledger. One round trip.

        `archived` maps each shard to the id of its last archived entry. Deletes that entry with
        XDEL, which makes Redis remember the id; otherwise `lost_entries` would report a loss.
        """
        with self._store.pipeline() as pipeline:
            for shard, entry_id in archived.items():
                pipeline.xdel(keys.ledger(shard), entry_id)
                pipeline.xtrim(keys.ledger(shard), minid=entry_id, approximate=False)
            pipeline.execute()

    def lag(self) -> int:
        """Return how many entries are not archived yet. One round trip."""
        with self._store.pipeline() as pipeline:
            for shard in self.shards:
                pipeline.xlen(keys.ledger(shard))
            return sum(pipeline.execute())

    def lost_entries(self, archived: Mapping[int, str]) -> dict[int, str]:
        """Return the part of `archived` that is about shards whose last archived entry is lost.

        `archived` maps each shard to the id of its ledger's last archived entry. Redis loses
        entries if it is restored from an old snapshot, or fails over to a replica that lacks the
        entries. One round trip.
        """
        calls = [LOST_ENTRY((keys.ledger(shard),), entry) for shard, entry in archived.items()]
        replies = self._store.run(*calls)
        return {
            shard: archived[shard] for shard, lost in zip(archived, replies, strict=True) if lost
        }

    def skip_to(self, archived: Mapping[int, str]) -> None:
        """Make sure that new entries get higher ids than the lost entries. One round trip.

        `archived` is the dict that `lost_entries` returned. It maps each shard that lost entries to
        the id of its last archived entry.
        """
        self._store.run(
            *(SKIP_TO_ENTRY((keys.ledger(shard),), entry) for shard, entry in archived.items())
        )

    # Rankings

    def rerank(self, post_ids: Iterable[int]) -> None:
        """On a cluster, write the scores of posts to the rankings again. On one server, do nothing.

        Two round trips per 500 posts.
        """
        if not self._store.is_cluster:
            return
        moment, moves = monotonic(), self._store.slot_moves
        new = dict.fromkeys(post_ids, moment)
        recent = {one: at for one, at in self._reranked.items() if at > moment - RERANK_SECONDS}
        recent |= new
        stale = list(recent if moves != self._slot_moves else new)
        with suppress(StoreEmpty):  # a rebuild will rank all posts
            for start in range(0, len(stale), RERANK_BATCH):
                self._store.run(*map(self._rerank_call, stale[start : start + RERANK_BATCH]))
        self._reranked, self._slot_moves = recent, moves

    def _rerank_call(self, post_id: int) -> Call:
        generation = keys.generation(keys.shard_tag(keys.shard(post_id)))
        return RERANK(self._rules)((keys.post(post_id), generation), self._now())


def _entry(shard: int, entry_id: str, fields: Mapping[str, Any]) -> VoteEntry:
    user_id, post_id, comment_id, vote, at, up, down, *more = map(int, fields["e"].split())
    return VoteEntry(
        id=entry_id,
        shard=shard,
        user_id=user_id,
        target=Target(post_id, comment_id),
        vote=Vote(vote),
        at=at,
        up=up,
        down=down,
        counts_at=more[0] if more else None,
    )
