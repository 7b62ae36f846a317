"""Counts unread inbox items, for the header of every page, and marks items as read.

The items are counted in SQL, and the outbox syncs the counts to Redis. Redis stores each count with
the time when counting began. If two processes count at once, Redis keeps the count that began
later.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import time
from types import MappingProxyType
from typing import Self, cast

from django.db import DatabaseError, transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.viewers import viewer
from forum.identity.visitors import views
from forum.models import InboxItem, User
from forum.queries.batches import batches, each_pk
from forum.store import outbox
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types.inbox import UnreadCounts


@dataclass(frozen=True)
class UnreadSync(outbox.Sync):
    """Syncs the numbers of unread inbox items of some people to Redis."""

    kind = "unread"
    user_ids: Sequence[int]

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Count people's unread items and write the counts to Redis."""
        for some in batches(sorted({user_id for one in syncs for user_id in one.user_ids})):
            get_voting_service().inbox.put(_counted(set(some)))


def shown(request: HttpRequest) -> int | None:
    """Return the viewer's number of unread items; None for guests or while Redis is down.

    The first call in a request takes one round trip, unless `know` has stored the number before.
    """
    if not hasattr(request, "unread"):
        request.unread = _asked(request)  # type: ignore[attr-defined]
    return cast(int | None, request.unread)  # type: ignore[attr-defined]


def know(request: HttpRequest, number: int | None) -> None:
    """Store the viewer's number of unread items in the request, so that `shown` returns it."""
    request.unread = number  # type: ignore[attr-defined]


def _asked(request: HttpRequest) -> int | None:
    person = viewer(request)
    if person is None:
        return None
    try:
        return get_voting_service().inbox.unread(person.id).total
    except StoreUnavailable:
        return None


def _counted(user_ids: set[int]) -> list[UnreadCounts]:
    counted_at = _microseconds()
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    items = InboxItem.objects.filter(user_id__in=user_ids, read_at=None).order_by()
    by_kind = items.values_list("user_id", "kind").annotate(number=Count("pk"))
    for user_id, kind, number in by_kind:
        counts[user_id][kind] = number
    return [UnreadCounts(one, MappingProxyType(counts[one]), counted_at) for one in user_ids]


def recount(request: HttpRequest, user_id: int) -> dict[str, int]:
    """Return a person's number of unread items of each kind.

    Also updates the total in the page's header and the numbers in Redis, if Redis is up.
    """
    (counted,) = _counted({user_id})
    with suppress(StoreUnavailable):
        get_voting_service().inbox.put([counted])
    know(request, counted.total)
    return dict(counted.by_type)


def mark_item(user_id: int, item_id: int) -> None:
    """Mark one inbox item of a person as read."""
    _mark(user_id, InboxItem.objects.filter(pk=item_id))


def mark_kind(user_id: int, kind: str) -> None:
    """Mark all of a person's inbox items of one kind as read."""
    _mark(user_id, InboxItem.objects.filter(kind=kind))


def mark_conversation(user_id: int, conversation_id: int) -> None:
    """Mark a person's inbox items about a conversation with moderators as read."""
    _mark(user_id, InboxItem.objects.filter(conversation_id=conversation_id))


def mark_all(user_id: int) -> None:
    """Mark all of a person's inbox items as read."""
    _mark(user_id, InboxItem.objects.all())


def mark_seen(request: HttpRequest, post_id: int, visible_ids: Collection[int | None]) -> None:
    """Mark as read the viewer's inbox items about the post or comments on a page.

    `visible_ids` contains the ids of the comments on the page. If the page also shows the post, it
    contains None, too. Marks nothing while Redis is down.
    """
    person = viewer(request)
    if person is None or not views(request):
        return
    number = shown(request)
    if not number:
        return
    waiting = InboxItem.objects.filter(user_id=person.id, post_id=post_id, read_at=None)
    seen = [pk for pk, about in waiting.values_list("pk", "comment_id") if about in visible_ids]
    if seen:
        with suppress(DatabaseError):
            _mark(person.id, InboxItem.objects.filter(pk__in=seen))
            know(request, max(0, number - len(seen)))


@transaction.atomic
def _mark(user_id: int, items: QuerySet[InboxItem]) -> None:
    """Mark a person's own `items` as read, and sync the person's unread count to Redis."""
    if items.filter(user_id=user_id, read_at=None).update(read_at=timezone.now()):
        outbox.add(UnreadSync([user_id]))


def fill() -> None:
    """Load everybody's unread counts from SQL into Redis.

    Stores 0 only for people who already have a count in Redis. Raises StoreUnavailable if Redis is
    unavailable.
    """
    for people in batches(each_pk(User.objects.all())):
        get_voting_service().inbox.fill(_counted(set(people)))


def _microseconds() -> int:
    return int(time() * 1_000_000)
