"""Reading the inbox: what is opened, ticked off or seen in its place is no longer unread."""

from collections.abc import Collection
from contextlib import suppress

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.viewers import viewer
from forum.identity.visitors import views
from forum.inbox import unread
from forum.models import InboxItem


def mark_item(user_id: int, item_id: int) -> None:
    """Mark one item of a person as read. Two queries, one round trip."""
    _mark(user_id, InboxItem.objects.filter(pk=item_id))


def mark_kind(user_id: int, kind: str) -> None:
    """Mark all items of one kind as read. Two queries, one round trip."""
    _mark(user_id, InboxItem.objects.filter(kind=kind))


def mark_all(user_id: int) -> None:
    """Mark everything as read. Two queries, one round trip."""
    _mark(user_id, InboxItem.objects.all())


def mark_seen(request: HttpRequest, post_id: int, shown: Collection[int | None]) -> None:
    """Mark as read what tells of what a page shows of a post: comments, and None for the post.

    The header says so at once. One query where the reader has anything unread, three and a round
    trip more where that is here; nothing while Redis is away. An archive that takes no writes keeps
    nobody from reading.
    """
    person = viewer(request)
    if person is None or not views(request) or not unread.shown(request):
        return
    waiting = InboxItem.objects.filter(user_id=person.id, post_id=post_id, read_at=None)
    seen = [pk for pk, about in waiting.values_list("pk", "comment_id") if about in shown]
    if seen:
        with suppress(DatabaseError):
            InboxItem.objects.filter(pk__in=seen).update(read_at=timezone.now())
            unread.recount(request, person.id)


@transaction.atomic
def _mark(user_id: int, items: QuerySet[InboxItem]) -> None:
    items.filter(user_id=user_id, read_at=None).update(read_at=timezone.now())
    unread.tell_after_commit([user_id])
