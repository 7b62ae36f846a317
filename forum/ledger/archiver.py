"""Brings the ledger of votes into SQL: every entry once, in order, with the cursor beside it.

The cursor moves in the transaction that writes the rows and only from where this reader saw it,
so a reader that died, or that lost its lease to another, neither loses nor doubles an entry.
"""

from collections.abc import Collection, Sequence
from itertools import islice
from time import monotonic, sleep

import structlog
from django.db import DatabaseError, DataError, IntegrityError, transaction

from forum.gateway.service import get_voting_service
from forum.ledger import cursors, entries, leaderboards
from forum.ledger.counters import sync_votes
from forum.ledger.cursors import BEGINNING, Position, StalePosition, position
from voting.errors import StoreUnavailable
from voting.types.maintenance import VoteEntry

ROUND = 2_000
"""Entries written in one transaction, so that it locks SQLite for a fraction of a second."""
REFUSED = (DataError, IntegrityError)
"""What SQL says where it is there and will not have what it was given."""
RENEWAL = 4.0
"""Seconds after which a reader takes its leases again, well before they end."""

log = structlog.get_logger()


class Refused(DatabaseError):
    """SQL will not have a vote that waits in the ledger. Whoever must have all of them ends here:
    to go on would drop what people did after it.
    """


def archive(where: Position, read: Sequence[VoteEntry]) -> int:
    """Write entries read from `where`, which moves along, and drop them from the ledger.

    Returns how many there were. Raises StalePosition, with nothing written of the round concerned,
    and StoreUnavailable. On a cluster the posts are ranked again first. After each commit karma and
    boards are synced: three round trips for up to 500 people and lines of boards.
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
    """Archive what Redis has of shards that came back older: between what it forgot and what is
    noticed, people voted on. Raises StoreUnavailable.
    """
    archived = {shard: where.cursors[shard] for shard in where.behind}
    for some in get_voting_service().maintenance.ledger.read_again(archived):
        with transaction.atomic():
            _record(where.generation, some)


@transaction.atomic
def _write(where: Position, some: Sequence[VoteEntry], reached: dict[int, str]) -> None:
    cursors.move(where, reached)
    _record(where.generation, some)


def _record(generation: str, some: Sequence[VoteEntry]) -> None:
    """Write entries that are not archived yet, and sync karma and boards after the commit."""
    fresh = entries.log(generation, some)
    latest = {(entry.target, entry.user_id): entry for entry in fresh}
    changed = leaderboards.changes(latest.values())
    entries.archive(latest.values())
    credited = leaderboards.credit(changed)
    entries.tally(fresh)
    sync_votes(credited)


def archive_rest(generation: str, shards: Collection[int] | None = None) -> int:
    """Archive all that waits by now, beside any worker that does the same; return how many entries.

    `shards` are those of the generation, where others may have another. Votes that arrive meanwhile
    may stay, or on a busy site it would never end. Raises Refused and StoreUnavailable.
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


def _trim_archived(where: Position) -> None:
    """Drop what a reader archived that died before it could. One round trip."""
    archived = {shard: entry for shard, entry in where.cursors.items() if entry != BEGINNING}
    if archived:
        get_voting_service().maintenance.ledger.trim(archived)


class Archiver:
    """The worker's reader: keeps its leases and its place between rounds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._where: Position | None = None
        self._renew_at = 0.0

    def step(self, *, block_ms: int) -> int:
        """Archive what is new in the shards leased to this reader; return how many entries.

        Call it again and again; it waits up to `block_ms` milliseconds where there is nothing.
        Raises StoreUnavailable. Four round trips, six where there is something.
        """
        try:
            return self._step(block_ms)
        except StoreUnavailable:
            self._where = None  # what was committed and could not be dropped is dropped then
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
                raise StalePosition("Redis was filled anew while this was read")
            return self._archive(where, read)
        except StalePosition:
            self._where = None
            return 0

    def _archive(self, where: Position, read: Sequence[VoteEntry]) -> int:
        """Archive all, or what SQL takes: a shard with an entry that it refuses waits alone.

        What was written before it was refused is not written again.
        """
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
            del where.cursors[shard]  # until the next look where to go on
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
        """Shards of this reader of which Redis lacks what is archived, as last looked at, and how
        often it came to that.
        """
        return self._where.behind if self._where else {}

    def look_again(self) -> None:
        """Look at once where to go on, instead of after some seconds."""
        self._where = None

    def stop(self) -> None:
        """Let other readers go on at once, if Redis is there to hear it."""
        try:
            get_voting_service().maintenance.ledger.drop_leases(self._name)
        except StoreUnavailable:
            return
