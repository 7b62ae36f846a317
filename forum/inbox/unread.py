"""The number of unread inbox items, which every page's header shows, and marking items as read.

SQL counts, and the outbox brings the counts to Redis (`UnreadSync`). A count carries the time at
which counting began, so of two writers the one that counted last wins.
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

from forum.gateway.service import get_voting_service
from forum.identity.viewers import viewer
from forum.identity.visitors import views
from forum.models import InboxItem, User
from forum.queries.batches import batches, each_pk
from forum.sync import outbox
from voting.errors import StoreUnavailable
from voting.types.inbox import UnreadCounts


@dataclass(frozen=True)
class UnreadSync(outbox.Sync):
    """The numbers of unread items of some people."""

    kind = "unread"
    user_ids: Sequence[int]

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Count people's unread items and write the counts. A query and a round trip for 500."""
        for some in batches(sorted({user_id for one in syncs for user_id in one.user_ids})):
            get_voting_service().inbox.put(_counted(set(some)))


def shown(request: HttpRequest) -> int | None:
    """Return how many unread items the header shows; None for guests and while Redis is down.

    No round trip if the page's own brought the number (`know`), else one.
    """
    if not hasattr(request, "unread"):
        request.unread = _asked(request)  # type: ignore[attr-defined]
    return cast(int | None, request.unread)  # type: ignore[attr-defined]


def know(request: HttpRequest, number: int | None) -> None:
    """Set the number that the header shows, which the page's own round trip brought."""
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
    """Return a person's unread items by kind; show the total in the header and sync it to Redis.

    One query and one round trip. Redis may be down.
    """
    (counted,) = _counted({user_id})
    with suppress(StoreUnavailable):
        get_voting_service().inbox.put([counted])
    know(request, counted.total)
    return dict(counted.by_type)


def mark_item(user_id: int, item_id: int) -> None:
    """Mark one item of a person as read."""
    _mark(user_id, InboxItem.objects.filter(pk=item_id))


def mark_kind(user_id: int, kind: str) -> None:
    """Mark all items of one kind as read."""
    _mark(user_id, InboxItem.objects.filter(kind=kind))


def mark_all(user_id: int) -> None:
    """Mark everything as read."""
    _mark(user_id, InboxItem.objects.all())


def mark_seen(request: HttpRequest, post_id: int, visible_ids: Collection[int | None]) -> None:
    """Mark notifications as read of what a page shows of a post: comments, and None for the post.

    The header shows the new number at once. One query if the reader has anything unread, four more
    and a round trip if some of that is on the page. Nothing happens while Redis is down, and a
    database that takes no writes keeps nobody from reading.
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
    """Mark items of a person as read, and sync the count. Four queries, one round trip."""
    if items.filter(user_id=user_id, read_at=None).update(read_at=timezone.now()):
        outbox.add(UnreadSync([user_id]))


def fill() -> None:
    """Load everybody's counts into Redis, also if they are 0. Raises StoreUnavailable.

    Two queries and a round trip for 500 people.
    """
    for people in batches(each_pk(User.objects.all())):
        get_voting_service().inbox.fill(_counted(set(people)))


def _microseconds() -> int:
    return int(time() * 1_000_000)
