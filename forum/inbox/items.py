"""Inbox items: who may get them, what they hold, and that each is written once."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils import timezone

from forum.inbox.unread import UnreadSync
from forum.models import Comment, InboxItem, User
from forum.sync import outbox


def others(people: QuerySet[User], actor_id: int) -> QuerySet[User]:
    """Leave out the person who did it, disabled accounts, and people who blocked them."""
    active = people.filter(is_active=True).exclude(pk=actor_id)
    return active.exclude(blocks__blocked=actor_id)


def item(
    user_id: int,
    kind: InboxItem.Kind,
    actor_id: int,
    *,
    post_id: int | None = None,
    comment: Comment | None = None,
    text: str = "",
) -> InboxItem:
    """Return an unsaved item dated now; `deliver` writes it."""
    return InboxItem(
        user_id=user_id,
        kind=kind,
        actor_id=actor_id,
        post_id=post_id,
        comment=comment,
        text=text,
        created_at=timezone.now(),
    )


def deliver(items: Iterable[InboxItem]) -> None:
    """Write items, each event once, and sync people's unread counts after the commit.

    Two queries, and after the commit two more and a round trip.
    """
    written = InboxItem.objects.bulk_create(items, ignore_conflicts=True)
    if written:
        outbox.add(UnreadSync(sorted({one.user_id for one in written})))
