"""What reaches an inbox: to whom it may go, what it says, and that it is written once."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils import timezone

from forum.inbox import unread
from forum.models import Comment, InboxItem, User


def others(people: QuerySet[User], actor_id: int) -> QuerySet[User]:
    """Leave out who did it, who is gone, and who blocked them."""
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
    """Return what tells a person of something now; `deliver` writes it."""
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
    """Write items, each event once, and have everybody's counts follow after the commit.

    One query, and after the commit another and a round trip.
    """
    told = InboxItem.objects.bulk_create(items, ignore_conflicts=True)
    unread.tell_after_commit({one.user_id for one in told})
