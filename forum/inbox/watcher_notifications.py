"""Notifies the watchers of a thread: they may be thousands, so the worker does it.

A comment is locked while some are notified of it, as it is while somebody edits or deletes it. So
nobody is notified twice, or of a comment that is gone.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from django.db import transaction
from django.db.models import QuerySet

from forum.inbox import items, mail_tasks
from forum.models import Comment, InboxItem, User, Watch
from forum.sync import outbox

BATCH = 500
"""People notified in one transaction, which locks the comment (all of SQLite) for a moment."""
WATCHED = InboxItem.Kind.WATCHED


def notify_later(comment: Comment, notified: Collection[int]) -> None:
    """Let the worker notify those who watch the thread by now, except the author and `notified`.

    Call it in the transaction that writes the comment. Three queries, one if nobody else watches.
    """
    known = {comment.author_id, *notified}
    watches = Watch.objects.filter(post_id=comment.post_id, on=True).exclude(user__in=known)
    if watches.exists():
        outbox.add(WatchersSync(comment.pk, Watch.objects.latest("pk").pk))


@dataclass(frozen=True)
class WatchersSync(outbox.Sync):
    """Notifications of a comment to the watchers of its thread, up to the `last` of all watches."""

    kind = "watchers"
    in_background = True  # they may be thousands
    comment_id: int
    last: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Notify whoever watches; those who were notified before are not notified again."""
        for one in syncs:
            after = 0
            while people := _notify_some(one.comment_id, one.last, after):
                after = people[-1]


@transaction.atomic
def _notify_some(comment_id: int, last: int, after: int) -> list[int]:
    """Notify some of the watchers whose ids come after this one; return those looked at.

    Five queries, one for each person who gets mail, and after the commit two and a round trip.
    """
    shown = Comment.objects.visible().on_visible_posts().filter(pk=comment_id)
    comment = shown.select_for_update(no_key=True, of=("self",)).first()
    if comment is None:
        return []
    watches = Watch.objects.filter(post_id=comment.post_id, on=True, pk__lte=last)
    some = watches.filter(user_id__gt=after).order_by("user_id")
    user_ids = list(some.values_list("user_id", flat=True)[:BATCH])
    wanting = [one for one in _not_notified(comment, user_ids) if WATCHED not in one.muted]
    items.deliver(
        items.item(one.pk, WATCHED, comment.author_id, post_id=comment.post_id, comment=comment)
        for one in wanting
    )
    for one in wanting:
        if one.mails_watched and one.email:
            mail_tasks.send_watched.enqueue(one.pk, comment.pk)
    return user_ids


def _not_notified(comment: Comment, user_ids: Collection[int]) -> QuerySet[User]:
    """Return those of these people who may be notified of a comment and have not been yet."""
    notified = InboxItem.objects.filter(comment=comment, user__in=user_ids).values("user")
    people = User.objects.filter(pk__in=user_ids).exclude(pk__in=notified)
    wanted = items.others(people, comment.author_id).order_by("pk")
    return wanted.only("muted", "mails_watched", "email")
