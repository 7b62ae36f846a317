"""Restores what the flags of certain people have hidden, in the batches of a bulk action.

Dismisses the flags on these posts and comments. A post or comment stays hidden if the flags of
other people are enough to hide it.
"""

from django.db.models import Q, QuerySet

from forum.actions import flagged_texts, queue_items
from forum.actions.action_log import add_to_groups
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided
from forum.identity import roles
from forum.models import Flag, ModAction, QueueItem, User, Withheld
from forum.moderation.actions import decisions
from forum.moderation.actions.bulk_state import Details

BATCH = 10
"""The most posts and comments in one batch. Each takes some 60 queries."""
HIDDEN = Q(post__withheld=Withheld.HIDDEN) | Q(comment__withheld=Withheld.HIDDEN)


def flaggers_of(text: Content) -> list[int]:
    """Return the ids of the people, except moderators, who have an open flag on `text`."""
    flags = Flag.objects.filter(item=queue_items.open_item_of(text), from_moderator=False)
    return list(flags.exclude(user=None).order_by("user").values_list("user_id", flat=True))


def hidden_items(user_ids: list[int]) -> QuerySet[QueueItem]:
    """Return the open queue items of hidden posts and comments that these people flagged."""
    flagged = Flag.objects.filter(user__in=user_ids).values("item")
    return QueueItem.objects.filter(HIDDEN, decided_at=None, pk__in=flagged)


def restore_some(action: ModAction, by: User) -> bool:
    """Restore the next batch of posts and comments. Return whether there may be more."""
    details: Details = action.details
    items = hidden_items(details["people"]).filter(pk__gt=details["item"]).order_by("pk")
    items = items.select_related(
        *("post__author", "post__withheld_by__rule"),
        *("comment__author", "comment__post", "comment__withheld_by__rule"),
    )
    some = list(items[:BATCH])
    add_to_groups(action, {_post_id(item) for item in some})
    for item in some:
        details["done"] += _restore(item, action, by)
        details["item"] = item.pk
    return len(some) == BATCH


def _post_id(item: QueueItem) -> int:
    return item.comment.post_id if item.comment else item.post_id or 0


def _restore(item: QueueItem, action: ModAction, by: User) -> bool:
    """Restore a post or comment. Return False if it stays hidden or if the moderator wrote it."""
    text = item.comment or item.post
    if text is None or roles.powers_of(by).is_involved(by.pk, text.author_id):
        return False
    if flagged_texts.stays_hidden(text, item, without=action.details["people"]):
        return False
    try:
        decisions.dismiss(text, by=by, reason=action.reason, parent=action)
    except AlreadyDecided:
        return False
    return True
