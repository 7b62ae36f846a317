"""The ledger: every accepted change of a vote, in order, until an archive has it.

Each shard has a stream that the voting scripts append to. Readers share the shards: each takes a
lease on those it works for, reads from where their archive ends, and trims what is committed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from voting import keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.types import Target, Vote
from voting.types.maintenance import Entry, in_order

LEASE = scripts.load("lease")
GIVE_BACK = scripts.load("give_back")
READERS = scripts.load("readers")
LACKS = scripts.load("lacks")
GO_ON_AFTER = scripts.load("go_on_after")
LEASE_MS = 15_000
"""Life of a lease: after a reader's death, another goes on this many milliseconds later."""
BEGINNING = "0-0"
PIECE = 500
"""Entries of a shard that one read takes at the most."""


def take_leases(store: Store, reader: str, shards: Iterable[int]) -> frozenset[int]:
    """Take or prolong the leases of a reader's share of the shards, give back the others, and
    return those held. Two round trips.

    Readers that have asked within `LEASE_MS` share alike. A new one has its share as soon as the
    others have asked again; the share of a dead one goes to them when its leases have ended.
    """
    working = sorted(store.run(READERS((keys.readers(),), reader, LEASE_MS))[0])
    turn, turns, wanted = working.index(reader), len(working), tuple(shards)
    calls = [
        LEASE((keys.lease(shard),), reader, LEASE_MS)
        if shard % turns == turn
        else GIVE_BACK((keys.lease(shard),), reader)
        for shard in wanted
    ]
    replies = store.run(*calls)
    return frozenset(shard for shard, held in zip(wanted, replies, strict=True) if held)


def drop_leases(store: Store, reader: str, shards: Iterable[int]) -> None:
    """Let other readers take the shards at once. Two round trips."""
    store.command("ZREM", keys.readers(), reader)
    store.run(*(GIVE_BACK((keys.lease(shard),), reader) for shard in shards))


def take_lease(store: Store, holder: str, key: str) -> bool:
    """Take or prolong one lease. One round trip."""
    return bool(store.run(LEASE((key,), holder, LEASE_MS))[0])


def drop_lease(store: Store, holder: str, key: str) -> None:
    """Give one lease back where `holder` still has it. One round trip."""
    store.run(GIVE_BACK((key,), holder))


def read(store: Store, cursors: Mapping[int, str], *, block_ms: int | None = None) -> list[Entry]:
    """Return the entries after each shard's cursor, at most `PIECE` a shard, in order.

    Waits up to `block_ms` where there are none (keep it under the connection's timeout).
    One round trip.
    """
    waiting: tuple[str | int, ...] = () if block_ms is None else ("BLOCK", block_ms)
    streams = [keys.ledger(shard) for shard in cursors]
    reply = store.command("XREAD", "COUNT", PIECE, *waiting, "STREAMS", *streams, *cursors.values())
    shard_of = dict(zip(streams, cursors, strict=True))
    return [
        _entry(shard_of[stream], entry_id, fields)
        for stream, entries in reply or ()
        for entry_id, fields in entries
    ]


def read_again(store: Store, archived: Mapping[int, str]) -> Iterator[list[Entry]]:
    """Yield what ledgers hold up to the archived entries, `PIECE` a shard, in order. A round trip
    each.
    """
    cursors = dict.fromkeys(archived, BEGINNING)
    while cursors:
        found = [
            one for one in read(store, cursors) if in_order(one.id) <= in_order(archived[one.shard])
        ]
        if found:
            yield found
        cursors = {one.shard: one.id for one in found}


def _entry(shard: int, entry_id: str, fields: Mapping[str, Any]) -> Entry:
    user_id, post_id, comment_id, vote, at, up, down = map(int, fields["e"].split())
    return Entry(
        id=entry_id,
        shard=shard,
        user_id=user_id,
        target=Target(post_id, comment_id),
        vote=Vote(vote),
        at=at,
        up=up,
        down=down,
    )


def forgotten(store: Store, archived: Mapping[int, str]) -> dict[int, str]:
    """Return those shards, with the archived entry, whose ledger has never had it. One round trip.

    That is a ledger of an earlier time: from a snapshot, or of a replica that lacks the last ones.
    """
    calls = [LACKS((keys.ledger(shard),), entry_id) for shard, entry_id in archived.items()]
    replies = store.run(*calls)
    return {shard: archived[shard] for shard, lacks in zip(archived, replies, strict=True) if lacks}


def go_on_after(store: Store, archived: Mapping[int, str]) -> None:
    """Have ledgers that never had the archived entries go on as if they had. One round trip."""
    store.run(*(GO_ON_AFTER((keys.ledger(shard),), last) for shard, last in archived.items()))


def trim(store: Store, archived: Mapping[int, str]) -> None:
    """Drop each shard's entries up to and including the archived one. One round trip.

    That one is dropped by its id, which streams remember (`forgotten` looks for it); the others by
    their range.
    """
    with store.pipeline() as pipeline:
        for shard, entry_id in archived.items():
            pipeline.xdel(keys.ledger(shard), entry_id)
            pipeline.xtrim(keys.ledger(shard), minid=entry_id, approximate=False)
        pipeline.execute()


def lag(store: Store) -> int:
    """Return how many entries wait to be archived. One round trip."""
    with store.pipeline() as pipeline:
        for shard in range(keys.SHARDS):
            pipeline.xlen(keys.ledger(shard))
        return sum(pipeline.execute())
