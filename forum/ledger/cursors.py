"""Cursors, which record how far each shard is archived and whether Redis lost archived entries."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import structlog
from django.db import transaction
from django.db.models import F

from forum.ledger import bulk_sql
from forum.models import LedgerCursor
from forum.store.service import get_voting_service

BEGINNING = "0-0"
MOVE = """
    UPDATE forum_ledgercursor SET entry = given.entry
    FROM {rows} WHERE forum_ledgercursor.shard = given.shard
"""

log = structlog.get_logger()


class StalePosition(Exception):
    """After ledger entries were read, another process archived them, or Redis was rebuilt."""


@dataclass(frozen=True, slots=True)
class Position:
    """The last archived ledger entry of each shard, at the time when a process read SQL."""

    generation: str
    cursors: dict[int, str]
    behind: dict[int, int] = field(default_factory=dict)
    """For each shard whose lost entries aren't in Redis again: how many times it lost entries."""


def position(generation: str, shards: Iterable[int]) -> Position:
    """Return the last archived ledger entry of each shard.

    If a shard's cursor is from another `generation`, resets the cursor to the beginning.

    If Redis lost archived entries, this records the loss in SQL, and makes sure that new entries
    don't get the ids of lost entries. Otherwise new entries would look archived. Raises
    StoreUnavailable.
    """
    unique = sorted(set(shards))
    cursors = _cursors(generation, unique)
    reached = {shard: one.entry for shard, one in cursors.items() if one.entry != BEGINNING}
    lost = get_voting_service().maintenance.ledger.lost_entries(reached) if reached else {}
    if lost:
        log.error("Redis came back without its last changes", shards=sorted(lost))
        concerned = LedgerCursor.objects.filter(shard__in=lost, generation=generation)
        concerned.update(behind=F("behind") + 1)
        get_voting_service().maintenance.ledger.skip_to(lost)
        cursors = _cursors(generation, unique)
    return Position(
        generation,
        {shard: one.entry for shard, one in cursors.items()},
        {shard: one.behind for shard, one in cursors.items() if one.behind},
    )


@transaction.atomic
def _cursors(generation: str, shards: Collection[int]) -> dict[int, LedgerCursor]:
    """Return the cursor of each shard: the last ledger entry that is archived in SQL.

    If the store was filled again after a cursor was saved, the cursor is reset to the beginning.
    """
    LedgerCursor.objects.bulk_create(
        [LedgerCursor(shard=shard, generation=generation) for shard in shards],
        ignore_conflicts=True,
    )
    cursors = LedgerCursor.objects.filter(shard__in=shards).order_by("shard")
    if any(one.generation != generation for one in cursors):
        stale = cursors.exclude(generation=generation)
        stale.update(generation=generation, entry=BEGINNING, behind=0)
        cursors = cursors.all()
    return {one.shard: one for one in cursors}


def move(where: Position, reached: dict[int, str]) -> None:
    """Record in SQL how far shards are archived.

    `reached` maps each shard to its last archived entry. Call this in the transaction that writes
    the entries to SQL. Raises StalePosition if another process has moved a shard's cursor since
    this process read the cursors (`where`) from SQL.
    """
    locked = LedgerCursor.objects.select_for_update().filter(shard__in=reached).order_by("shard")
    for cursor in locked:
        if (cursor.generation, cursor.entry) != (where.generation, where.cursors[cursor.shard]):
            raise StalePosition(f"shard {cursor.shard} has been archived up to {cursor.entry}")
    bulk_sql.write(MOVE, LedgerCursor, ("shard", "entry"), list(reached.items()))


def caught_up(behind: Mapping[int, int]) -> None:
    """Record in SQL that the lost entries of shards have been restored in Redis.

    `behind` maps each shard to the number of its losses (`LedgerCursor.behind`) when the restoring
    began. Skips shards that have lost entries since then.
    """
    for shard, times in behind.items():
        LedgerCursor.objects.filter(shard=shard, behind=times).update(behind=0)


def any_behind() -> bool:
    """Return whether SQL records that Redis lost archived votes and hasn't got them back."""
    return LedgerCursor.objects.filter(behind__gt=0).exists()
