"""The number of unread inbox items that every page's header shows.

SQL counts, Redis is told. What Redis missed while it was away is told again by the worker
(`Healer`), by opening the inbox, and by a rebuild (`fill`).
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from time import time
from types import MappingProxyType
from typing import cast

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils import timezone

from forum.gateway.service import get_voting_service
from forum.identity.viewers import viewer
from forum.models import InboxItem, User
from forum.queries.batches import batches, each_pk
from voting.errors import StoreUnavailable
from voting.types.inbox import Unread

HEAL_BACK = timedelta(days=1)
"""How far back a new worker looks for what its predecessor may not have told."""
OVERLAP = timedelta(minutes=1)
"""What two looks share, for transactions that took long to commit."""

log = structlog.get_logger()


def shown(request: HttpRequest) -> int | None:
    """Return how many unread items the header shows; None for guests and while Redis is away.

    No round trip where the page's own has asked already (`know`), else one.
    """
    if not hasattr(request, "unread"):
        request.unread = _asked(request)  # type: ignore[attr-defined]
    return cast(int | None, request.unread)  # type: ignore[attr-defined]


def know(request: HttpRequest, number: int | None) -> None:
    """Have the header show what the page's own round trip brought along."""
    request.unread = number  # type: ignore[attr-defined]


def _asked(request: HttpRequest) -> int | None:
    person = viewer(request)
    if person is None:
        return None
    try:
        return get_voting_service().inbox.unread(person.id).total
    except StoreUnavailable:
        return None


def tell_after_commit(user_ids: Iterable[int]) -> None:
    """Tell Redis people's counts once the present transaction is committed.

    One query and a round trip for all of them. Where Redis is away, the worker tells it later.
    """
    transaction.on_commit(partial(_tell_or_leave, tuple(user_ids)))


def _tell_or_leave(user_ids: tuple[int, ...]) -> None:
    try:
        tell(user_ids)
    except (StoreUnavailable, DatabaseError) as error:
        log.warning("unread counts wait", people=len(user_ids), reason=str(error))


def tell(user_ids: Iterable[int]) -> None:
    """Count people's unread items and tell Redis. Raises StoreUnavailable. One query."""
    wanted = set(user_ids)
    if wanted:
        get_voting_service().inbox.put(_counted(wanted))


def _counted(user_ids: set[int]) -> list[Unread]:
    counted_at = _microseconds()
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    items = InboxItem.objects.filter(user_id__in=user_ids, read_at=None).order_by()
    by_kind = items.values_list("user_id", "kind").annotate(number=Count("pk"))
    for user_id, kind, number in by_kind:
        counts[user_id][kind] = number
    return [Unread(one, MappingProxyType(counts[one]), counted_at) for one in user_ids]


def recount(request: HttpRequest, user_id: int) -> dict[str, int]:
    """Return a person's unread items by kind, and have header and Redis say the same. One query.

    One round trip; Redis may be away.
    """
    (counted,) = _counted({user_id})
    with suppress(StoreUnavailable):
        get_voting_service().inbox.put([counted])
    know(request, counted.total)
    return dict(counted.by_type)


def fill() -> None:
    """Tell Redis the counts of everybody, also of those who have read all. Raises StoreUnavailable.

    Two queries and a round trip for 500 people.
    """
    for people in batches(each_pk(User.objects.all())):
        get_voting_service().inbox.fill(_counted(set(people)))


def _microseconds() -> int:
    return int(time() * 1_000_000)


class Healer:
    """Tells again, step by step, what changed since the last step that Redis heard."""

    def __init__(self) -> None:
        self._told_until = timezone.now() - HEAL_BACK

    def step(self) -> None:
        """Tell the counts of those whose items changed lately. Raises StoreUnavailable.

        Two queries, and a round trip for 500 people.
        """
        began, since = timezone.now(), self._told_until - OVERLAP
        changed = Q(created_at__gt=since) | Q(read_at__gt=since)
        tell(InboxItem.objects.filter(changed).values_list("user_id", flat=True).distinct())
        self._told_until = began
