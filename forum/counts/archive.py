"""Brings the ledger of votes into SQL: every entry once, in order, with the cursor beside it.

The cursor moves in the transaction that writes the rows and only from where this reader saw it,
so a reader that died, or that lost its lease to another, neither loses nor doubles an entry.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic, sleep

from django.db import transaction

from forum.counts import boards, entries, rows
from forum.counts.boards import Credited
from forum.counts.counting import RECENT, debts
from forum.models import LedgerCursor
from forum.store import voting
from voting.errors import StoreUnavailable
from voting.types.upkeep import Entry

BEGINNING = "0-0"
ROUND = RECENT
"""Entries written in one transaction, so that it locks SQLite for a fraction of a second; Redis is
told of each by itself, since of no more a reader that died leaves it untold.
"""
MOVE_CURSORS = """
    UPDATE forum_ledgercursor SET generation = given.generation, entry = given.entry
    FROM {rows} WHERE forum_ledgercursor.shard = given.shard
"""
RENEWAL = 4.0
"""Seconds after which a reader takes its leases again, well before they end."""


class Overtaken(Exception):
    """Another reader has archived these entries."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader believes each shard of a generation has been archived."""

    generation: str
    cursors: dict[int, str]


def position(generation: str, shards: Iterable[int]) -> Position:
    """Return where to go on: behind the archived entries, or at a new generation's beginning."""
    wanted = set(shards)
    LedgerCursor.objects.bulk_create(
        [LedgerCursor(shard=shard, generation=generation) for shard in sorted(wanted)],
        ignore_conflicts=True,
    )
    kept = LedgerCursor.objects.filter(shard__in=wanted).values_list("shard", "generation", "entry")
    return Position(
        generation,
        {shard: entry if made == generation else BEGINNING for shard, made, entry in kept},
    )


def archive(where: Position, read: Sequence[Entry]) -> int:
    """Write entries read from `where`, which moves along, and drop them from the ledger.

    Returns how many there were. Raises Overtaken, with nothing written of the round concerned,
    and StoreUnavailable. On a cluster the posts are ranked again first. Karma and boards follow in
    Redis: three round trips for up to 500 people and lines of boards.
    """
    voting().upkeep.rerank({entry.target.post_id for entry in read if not entry.target.comment_id})
    remaining = iter(read)
    while some := list(islice(remaining, ROUND)):
        reached = {entry.shard: entry.id for entry in some}
        debts.owe(_write(where, some, reached))
        where.cursors.update(reached)
        voting().upkeep.trim_ledger(reached)
        debts.settle()
    return len(read)


@transaction.atomic
def _write(where: Position, some: Sequence[Entry], reached: dict[int, str]) -> Credited:
    _move_cursors(where, reached)
    latest = {(entry.target, entry.user_id): entry for entry in some}
    changed = boards.changes(latest.values())
    entries.log(where.generation, some)
    entries.archive(latest.values())
    credited = boards.credit(changed)
    entries.tally(some)
    return credited


def _move_cursors(where: Position, reached: dict[int, str]) -> None:
    held = {
        cursor.shard: cursor
        for cursor in LedgerCursor.objects.select_for_update()
        .filter(shard__in=reached)
        .order_by("shard")
    }
    for shard in reached:
        cursor = held[shard]
        archived = cursor.entry if cursor.generation == where.generation else BEGINNING
        if archived != where.cursors[shard]:
            raise Overtaken(f"shard {shard} has been archived up to {archived}")
    moved = [(shard, where.generation, entry_id) for shard, entry_id in reached.items()]
    rows.write(MOVE_CURSORS, LedgerCursor, ("shard", "generation", "entry"), moved)


def archive_rest(generation: str, shards: Collection[int] | None = None) -> int:
    """Archive all that waits by now, beside any worker that does the same; return how many entries.

    `shards` are those of the generation, where others may have another. Votes that arrive meanwhile
    may stay, or on a busy site it would never end.
    """
    upkeep, written = voting().upkeep, 0
    while True:
        where = position(generation, upkeep.shards if shards is None else shards)
        _trim_archived(where)
        read = upkeep.read_ledger(where.cursors)
        with suppress(Overtaken):
            written += archive(where, read)
            if len(read) < upkeep.piece:
                return written


def _trim_archived(where: Position) -> None:
    """Drop what a reader archived that died before it could. One round trip."""
    archived = {shard: entry for shard, entry in where.cursors.items() if entry != BEGINNING}
    if archived:
        voting().upkeep.trim_ledger(archived)


def _taken_over(before: Position | None, now: Position) -> Position:
    """Return the part of a position that this reader did not have before."""
    if before is None or before.generation != now.generation:
        return now
    fresh = {shard: entry for shard, entry in now.cursors.items() if shard not in before.cursors}
    return Position(now.generation, fresh)


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
        upkeep = voting().upkeep
        read = upkeep.read_ledger(where.cursors, block_ms=block_ms)
        try:
            if upkeep.generation() != where.generation:
                raise Overtaken("Redis was filled anew while this was read")
            return archive(where, read)
        except Overtaken:
            self._where = None
            return 0

    def _place(self) -> Position:
        now = monotonic()
        if self._where is None or now >= self._renew_at:
            upkeep = voting().upkeep
            shards = upkeep.take_leases(self._name)
            before, self._where = self._where, position(upkeep.generation(), shards)
            self._renew_at = now + RENEWAL
            _trim_archived(_taken_over(before, self._where))
        return self._where

    def stop(self) -> None:
        """Let other readers go on at once, if Redis is there to hear it."""
        try:
            voting().upkeep.drop_leases(self._name)
        except StoreUnavailable:
            return
