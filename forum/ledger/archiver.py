"""Archives votes: copies ledger entries from Redis to SQL, each once and in order.

A cursor in SQL records how far each shard is archived. A reader is a process that archives entries.
It writes entries and moves the cursor in one transaction. If another reader has moved the cursor,
the transaction is rolled back. So if a reader dies, no entry is lost or copied twice.
"""

from collections.abc import Collection, Sequence
from itertools import islice
from time import monotonic, sleep

import structlog
from django.db import DatabaseError, DataError, IntegrityError, transaction

from forum.ledger import cast_votes, cursors, entries, leaderboards
from forum.ledger.counters import sync_votes
from forum.ledger.cursors import BEGINNING, Position, StalePosition, position
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types.maintenance import VoteEntry

ROUND = 2_000
"""The number of entries archived in one transaction.

Each transaction locks SQLite for a fraction of a second.
"""
REFUSED = (DataError, IntegrityError)
"""The errors that a working SQL database raises when it rejects a row."""
RENEWAL = 4.0
"""Seconds after which a reader renews its leases of shards, well before the leases end."""

log = structlog.get_logger()


class Refused(DatabaseError):
    """SQL rejects a vote in the ledger, so later votes of its shard can't be archived.

    A caller that needs all votes in SQL must stop, or votes could be lost.
    """


def archive(where: Position, read: Sequence[VoteEntry]) -> int:
    """Copy ledger entries to SQL, then delete them from Redis. Return the number of entries.

    `where` contains the last archived entry of each shard, and is updated. After each commit, karma
    and leaderboards are synced to Redis. Raises StoreUnavailable if Redis is down, and
    StalePosition if another process has already archived the entries.
    """
    get_voting_service().maintenance.ledger.rerank(
        {entry.target.post_id for entry in read if not entry.target.comment_id}
    )
    remaining = iter(read)
    while some := list(islice(remaining, ROUND)):
        reached = {entry.shard: entry.id for entry in some}
        _write(where, some, reached)
        where.cursors.update(reached)
        get_voting_service().maintenance.ledger.trim(reached)
    return len(read)


def _archive_forgotten(where: Position) -> None:
    """Archive votes cast after Redis lost ledger entries, but before the loss was noticed."""
    archived = {shard: where.cursors[shard] for shard in where.behind}
    for some in get_voting_service().maintenance.ledger.read_again(archived):
        with transaction.atomic():
            _record(where.generation, some)


@transaction.atomic
def _write(where: Position, some: Sequence[VoteEntry], reached: dict[int, str]) -> None:
    cursors.move(where, reached)
    _record(where.generation, some)


def _record(generation: str, some: Sequence[VoteEntry]) -> None:
    """Write the new entries to SQL; sync karma and leaderboards to Redis after the commit."""
    fresh = entries.log(generation, some)
    before = cast_votes.known({(entry.target, entry.user_id) for entry in fresh})
    votes = cast_votes.after(before, fresh)
    entries.archive(votes)
    credited = leaderboards.credit(leaderboards.changes(before, votes))
    entries.tally(fresh)
    sync_votes(credited)


def archive_rest(generation: str, shards: Collection[int] | None = None) -> int:
    """Archive all entries that wait in Redis, and return their number.

    `shards` are the numbers of the shards to archive, by default all. `generation` is the random
    text that marks these shards as filled. A worker may archive at the same time. Votes cast during
    the call may stay in Redis. Raises Refused if SQL rejects a vote, and StoreUnavailable if Redis
    is down.
    """
    maintenance, written = get_voting_service().maintenance, 0
    while True:
        where = position(generation, maintenance.ledger.shards if shards is None else shards)
        _archive_forgotten(where)
        _trim_archived(where)
        read = maintenance.ledger.read(where.cursors)
        try:
            written += archive(where, read)
        except StalePosition:
            continue
        except REFUSED as error:
            raise Refused(str(error)) from error
        if len(read) < maintenance.ledger.batch:
            return written


def archive_waiting() -> None:
    """Copy all votes that wait in the ledger from Redis to SQL.

    Raises Refused if SQL rejects a vote, and StoreUnavailable if Redis is down.
    """
    archive_rest(get_voting_service().maintenance.generations.current())


def _trim_archived(where: Position) -> None:
    """Delete ledger entries from Redis that are already archived.

    Such entries remain if a process dies after archiving entries and before deleting them.
    """
    archived = {shard: entry for shard, entry in where.cursors.items() if entry != BEGINNING}
    if archived:
        get_voting_service().maintenance.ledger.trim(archived)


class Archiver:
    """Archives votes for the worker, step by step."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._where: Position | None = None
        self._renew_at = 0.0

    def step(self, *, block_ms: int) -> int:
        """Archive new entries of the shards that this reader has leased, and return their number.

        If there are no new entries, waits up to `block_ms` milliseconds for the first one. Raises
        StoreUnavailable if Redis is down.
        """
        try:
            return self._step(block_ms)
        except StoreUnavailable:
            self._where = None  # the next step trims archived entries that are still in Redis
            raise

    def _step(self, block_ms: int) -> int:
        where = self._place()
        if not where.cursors:
            sleep(block_ms / 1_000)
            return 0
        maintenance = get_voting_service().maintenance
        read = maintenance.ledger.read(where.cursors, block_ms=block_ms)
        try:
            if maintenance.generations.current() != where.generation:
                raise StalePosition("Redis was rebuilt while this was read")
            return self._archive(where, read)
        except StalePosition:
            self._where = None
            return 0

    def _archive(self, where: Position, read: Sequence[VoteEntry]) -> int:
        """Archive entries. If SQL rejects an entry, skip its shard and archive the other shards."""
        try:
            return archive(where, read)
        except REFUSED:
            shards = sorted({entry.shard for entry in read})
            each = ([one for one in read if one.shard == shard] for shard in shards)
            return sum(self._archive_shard(where, some) for some in each)

    def _archive_shard(self, where: Position, some: Sequence[VoteEntry]) -> int:
        try:
            return archive(where, some)
        except REFUSED:
            shard = some[0].shard
            log.exception(
                "SQL refuses a vote of this shard", shard=shard, after=where.cursors[shard]
            )
            del where.cursors[shard]  # skip the shard until the leases are renewed
            return 0

    def _place(self) -> Position:
        now = monotonic()
        if self._where is None or now >= self._renew_at:
            maintenance = get_voting_service().maintenance
            shards = maintenance.ledger.take_leases(self._name)
            self._where = position(maintenance.generations.current(), shards)
            self._renew_at = now + RENEWAL
            _archive_forgotten(self._where)
            _trim_archived(self._where)
        return self._where

    @property
    def behind(self) -> dict[int, int]:
        """The shards of this process whose ledger entries Redis lost, and how often it lost some.

        Leaves out shards whose lost entries are in Redis again.
        """
        return self._where.behind if self._where else {}

    def look_again(self) -> None:
        """Make the next step read the cursors from SQL again."""
        self._where = None

    def stop(self) -> None:
        """Release this reader's leases of shards, so that other readers can archive these shards.

        Do nothing if Redis is down.
        """
        try:
            get_voting_service().maintenance.ledger.drop_leases(self._name)
        except StoreUnavailable:
            return
