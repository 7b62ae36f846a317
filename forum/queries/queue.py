"""Reads which items of the moderation queue a person sees, and how many of them are undecided.

A database index sorts the items of each group and kind in the order of the pages. So reading a page
takes no longer with a million items than with a thousand. No index sorts the items of several
groups together, so a UNION combines them.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import reduce

from django.conf import settings
from django.db.models import Q, QuerySet

from forum.models import QueueItem, QueuePlace
from forum.models.powers import Powers

Kind = QueueItem.Kind
FLAGGED = (Kind.FLAGGED, Kind.PERSON)
IN_GROUPS = (Kind.FLAGGED, Kind.HELD)
"""The kinds of items in the queues of groups. Only the site's moderators see the other kinds."""
MOST = 100
"""Open items are counted up to this number."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CURSOR = re.compile(r"([0-9]{1,16}(?:\.[0-9]{1,17})?)_([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """The conditions that all listed queue items must meet."""

    group_ids: frozenset[int] | None = None
    """List only items that moderators of these groups see. None lists all items."""
    kinds: tuple[Kind, ...] = tuple(Kind)
    decided: bool = False
    least: float = 0
    """Don't list flagged items with a lower weight than this."""


@dataclass(frozen=True, slots=True)
class QueueCursor:
    """The last item of a page, after which the next page continues.

    `rank` is the weight of an open item. For a decided item, `rank` is the time of the decision, in
    microseconds since 1970.
    """

    rank: float
    item_id: int

    def __str__(self) -> str:
        return f"{self.rank!r}_{self.item_id}"

    @classmethod
    def parse(cls, text: str) -> "QueueCursor | None":
        """Return the cursor in the address of a page, or None if the text isn't a cursor."""
        found = CURSOR.fullmatch(text)
        return cls(float(found[1]), int(found[2])) if found else None


@dataclass(frozen=True, slots=True)
class QueueIds:
    """The ids of a page of items, in order.

    The next page starts after `last`, which is None on the last page.
    """

    ids: tuple[int, ...]
    last: QueueCursor | None


def visible(powers: Powers, least: float, group_id: int | None = None) -> QueueFilter:
    """Return a filter for the queue items that a person sees: all items, or one group's items.

    Leaves out open flagged items with a weight below `least`.
    """
    own = None if powers.reads_everything else powers.group_ids
    if group_id is not None:
        own = frozenset({group_id}) & (frozenset({group_id}) if own is None else own)
    return QueueFilter(own, tuple(Kind) if own is None else IN_GROUPS, least=least)


def kinds_for(powers: Powers) -> tuple[Kind, ...]:
    """Return the kinds of queue items that a person may see."""
    return tuple(Kind) if powers.reads_everything else IN_GROUPS


def only(wanted: QueueFilter, kind: str, *, decided: bool) -> QueueFilter:
    """Return the filter limited to decided items or (if `decided` is False) to open items.

    If `kind` isn't "", the filter is also limited to items of this kind.
    """
    kinds = (Kind(kind),) if kind else wanted.kinds
    return replace(wanted, kinds=kinds, decided=decided)


def page(wanted: QueueFilter, after: QueueCursor | None = None) -> QueueIds:
    """Return the ids of a page of queue items. One query, which uses an index.

    Open items are ordered by weight, heaviest first, and decided items by the time of the decision,
    latest first.
    """
    size = settings.PAGE_SIZE
    rank = "decided_at" if wanted.decided else "weight"
    rank = "group_weight" if rank == "weight" and wanted.group_ids is not None else rank
    found = list(
        _union(wanted, after, size + 1)
        .order_by(f"-{rank}", "-pk")
        .values_list("pk", rank)[: size + 1]
    )
    shown = found[:size]
    last = QueueCursor(_number(shown[-1][1]), shown[-1][0]) if len(found) > size else None
    return QueueIds(tuple(pk for pk, _rank in shown), last)


def count_open(wanted: QueueFilter) -> int:
    """Return the number of open items, at most `MOST`. One query, which uses an index."""
    return min(MOST, _union(wanted, None, MOST).count())


def _union(wanted: QueueFilter, after: QueueCursor | None, most: int) -> QuerySet[QueueItem]:
    """Return items that meet a filter, unsorted.

    For each combination of a kind and a group, returns at most the first `most` items.
    """
    parts = [
        QueueItem.objects.filter(pk__in=ids)
        for kind in wanted.kinds
        for ids in _parts(wanted, kind, after, most)
    ]
    if not parts:
        return QueueItem.objects.none()
    return reduce(lambda one, other: one.union(other), parts[1:], parts[0])


def _parts(
    wanted: QueueFilter, kind: Kind, after: QueueCursor | None, most: int
) -> list[QuerySet[QueueItem, int] | QuerySet[QueuePlace, int]]:
    """Return queries for the ids of queue items of one kind, in the order of the page.

    There is one query for each group in the filter, or a single query if the filter names no
    groups. Each query finds at most `most` items, the first ones after the cursor.
    """
    heavy = Q(kind=kind, decided_at__isnull=not wanted.decided)
    if kind in FLAGGED and not wanted.decided:
        heavy &= Q(weight__gte=wanted.least)
    if wanted.group_ids is None:
        items = QueueItem.objects.filter(heavy & _below(wanted, after, "pk"))
        return [items.order_by(*_order(wanted, "pk")).values_list("pk", flat=True)[:most]]
    if kind == Kind.FLAGGED and wanted.decided:
        heavy &= Q(weight__gt=0)  # leave out items flagged only for site moderators
    places = QueuePlace.objects.filter(heavy & _below(wanted, after, "item_id"))
    ordered = places.order_by(*_order(wanted, "item_id")).values_list("item_id", flat=True)
    return [ordered.filter(group=group)[:most] for group in sorted(wanted.group_ids)]


def _order(wanted: QueueFilter, key: str) -> tuple[str, str]:
    return ("-decided_at" if wanted.decided else "-weight", f"-{key}")


def _below(wanted: QueueFilter, after: QueueCursor | None, key: str) -> Q:
    """Return the SQL condition for items that come after the cursor in page order."""
    if after is None:
        return Q()
    name = "decided_at" if wanted.decided else "weight"
    rank = EPOCH + timedelta(microseconds=after.rank) if wanted.decided else after.rank
    below = Q(**{f"{name}__lt": rank}) | Q(**{f"{key}__lt": after.item_id})
    return Q(**{f"{name}__lte": rank}) & below


def _number(rank: float | datetime) -> float:
    return (rank - EPOCH) // timedelta(microseconds=1) if isinstance(rank, datetime) else rank
