"""Tells who watches a thread of new comments: they may be thousands, so the worker does it.

A comment is locked while some are told of it, as it is while somebody edits or deletes it: nobody
hears of it by two ways, and nobody of what is gone.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet
from django_tasks import task

from forum.inbox import items, mail_tasks
from forum.models import Comment, InboxItem, User, Watch
from forum.sync import tasks

BATCH = 500
"""People told in one transaction: it locks the comment (all of SQLite) for a moment."""
WATCHED = InboxItem.Kind.WATCHED


def tell_later(comment: Comment, told: Collection[int]) -> None:
    """Have those told who watch its thread by now, beside its author and who is told already.

    Call it in the transaction that writes the comment. Three queries, one where nobody else
    watches.
    """
    known = {comment.author_id, *told}
    watches = Watch.objects.filter(post_id=comment.post_id, on=True).exclude(user__in=known)
    if watches.exists():
        tell.enqueue(comment.pk, Watch.objects.latest("pk").pk)


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def tell(comment_id: int, last: int) -> None:
    """Tell of a comment whoever watches its thread, from the first to the `last` of all watches.

    Done again, it tells those who were not told.
    """
    after = 0
    while people := _tell_some(comment_id, last, after):
        after = people[-1]


@transaction.atomic
def _tell_some(comment_id: int, last: int, after: int) -> list[int]:
    """Tell some of the watchers whose ids come after this one; return those looked at.

    Four queries, one for each person who gets mail of it, and after the commit another and a round
    trip.
    """
    shown = Comment.objects.visible().on_visible_posts().filter(pk=comment_id)
    comment = shown.select_for_update(no_key=True, of=("self",)).first()
    if comment is None:
        return []
    watches = Watch.objects.filter(post_id=comment.post_id, on=True, pk__lte=last)
    some = watches.filter(user_id__gt=after).order_by("user_id")
    user_ids = list(some.values_list("user_id", flat=True)[:BATCH])
    wanting = [one for one in _untold(comment, user_ids) if WATCHED not in one.muted]
    items.deliver(
        items.item(one.pk, WATCHED, comment.author_id, post_id=comment.post_id, comment=comment)
        for one in wanting
    )
    for one in wanting:
        if one.mails_watched and one.email:
            mail_tasks.send_watched.enqueue(one.pk, comment.pk)
    return user_ids


def _untold(comment: Comment, user_ids: Collection[int]) -> QuerySet[User]:
    """Return those of these people who may hear of a comment and have not, for whatever reason."""
    told = InboxItem.objects.filter(comment=comment, user__in=user_ids).values("user")
    people = User.objects.filter(pk__in=user_ids).exclude(pk__in=told)
    wanted = items.others(people, comment.author_id).order_by("pk")
    return wanted.only("muted", "mails_watched", "email")
