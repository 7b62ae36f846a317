"""Marking inbox items as read: one, all of a kind, all, or those that a page shows."""

from collections.abc import Collection
from contextlib import suppress

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.viewers import viewer
from forum.identity.visitors import views
from forum.inbox import unread
from forum.inbox.unread import UnreadSync
from forum.models import InboxItem
from forum.sync import outbox


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
    number = unread.shown(request)
    if not number:
        return
    waiting = InboxItem.objects.filter(user_id=person.id, post_id=post_id, read_at=None)
    seen = [pk for pk, about in waiting.values_list("pk", "comment_id") if about in visible_ids]
    if seen:
        with suppress(DatabaseError):
            _mark(person.id, InboxItem.objects.filter(pk__in=seen))
            unread.know(request, max(0, number - len(seen)))


@transaction.atomic
def _mark(user_id: int, items: QuerySet[InboxItem]) -> None:
    """Mark items of a person as read, and sync the count. Four queries, one round trip."""
    if items.filter(user_id=user_id, read_at=None).update(read_at=timezone.now()):
        outbox.add(UnreadSync([user_id]))
