"""How far each shard's ledger has been archived, and whether Redis still has what it told of."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import structlog
from django.db import transaction
from django.db.models import F

from forum.gateway.service import get_voting_service
from forum.ledger import bulk_sql
from forum.models import LedgerCursor

BEGINNING = "0-0"
MOVE = """
    UPDATE forum_ledgercursor SET entry = given.entry
    FROM {rows} WHERE forum_ledgercursor.shard = given.shard
"""

log = structlog.get_logger()


class StalePosition(Exception):
    """Another reader has archived these entries, or Redis was filled anew since they were read."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader believes each shard of a generation has been archived."""

    generation: str
    cursors: dict[int, str]
    behind: dict[int, int] = field(default_factory=dict)
    """Shards of which Redis has forgotten entries that are archived, and how often by now."""


def position(generation: str, shards: Iterable[int]) -> Position:
    """Return where to go on: behind the archived entries, or at a new generation's beginning.

    Where Redis came back without entries that are archived, it is noted once and for all, and its
    next ones come after those: a clock that is behind can't hide them. One round trip, and another
    then. Raises StoreUnavailable.
    """
    wanted = sorted(set(shards))
    kept = _kept(generation, wanted)
    reached = {shard: one.entry for shard, one in kept.items() if one.entry != BEGINNING}
    forgotten = get_voting_service().maintenance.ledger.lost_entries(reached) if reached else {}
    if forgotten:
        log.error("Redis came back without its last changes", shards=sorted(forgotten))
        concerned = LedgerCursor.objects.filter(shard__in=forgotten, generation=generation)
        concerned.update(behind=F("behind") + 1)
        get_voting_service().maintenance.ledger.skip_to(forgotten)
        kept = _kept(generation, wanted)
    return Position(
        generation,
        {shard: one.entry for shard, one in kept.items()},
        {shard: one.behind for shard, one in kept.items() if one.behind},
    )


@transaction.atomic
def _kept(generation: str, shards: Collection[int]) -> dict[int, LedgerCursor]:
    """Return cursors, which begin anew where they were of another generation."""
    LedgerCursor.objects.bulk_create(
        [LedgerCursor(shard=shard, generation=generation) for shard in shards],
        ignore_conflicts=True,
    )
    kept = LedgerCursor.objects.filter(shard__in=shards).order_by("shard")
    if any(one.generation != generation for one in kept):
        stale = kept.exclude(generation=generation)
        stale.update(generation=generation, entry=BEGINNING, behind=0)
        kept = kept.all()
    return {one.shard: one for one in kept}


def move(where: Position, reached: dict[int, str]) -> None:
    """Move cursors, in the transaction that writes what lies between. Raises StalePosition unless
    they are where this reader saw them.
    """
    held = LedgerCursor.objects.select_for_update().filter(shard__in=reached).order_by("shard")
    for cursor in held:
        if (cursor.generation, cursor.entry) != (where.generation, where.cursors[cursor.shard]):
            raise StalePosition(f"shard {cursor.shard} has been archived up to {cursor.entry}")
    bulk_sql.write(MOVE, LedgerCursor, ("shard", "entry"), list(reached.items()))


def caught_up(behind: Mapping[int, int]) -> None:
    """Note that Redis has again what it had forgotten, unless it forgot more meanwhile. A query for
    each shard.
    """
    for shard, times in behind.items():
        LedgerCursor.objects.filter(shard=shard, behind=times).update(behind=0)


def any_behind() -> bool:
    """Say whether Redis lacks what is archived, as far as that was noticed. One query."""
    return LedgerCursor.objects.filter(behind__gt=0).exists()
