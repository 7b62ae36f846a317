"""Reading the inbox: what is opened or ticked off is no longer unread."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

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


@transaction.atomic
def _mark(user_id: int, items: QuerySet[InboxItem]) -> None:
    items.filter(user_id=user_id, read_at=None).update(read_at=timezone.now())
    unread.tell_after_commit([user_id])
