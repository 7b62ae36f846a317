"""Counts the open flags that moderators see beside the posts and comments of a thread."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Count, Q

from forum.models import Post, QueueItem
from forum.models.powers import Powers
from forum.queries.posts import POST


class OpenFlags(NamedTuple):
    """The number of open flags on a post or comment, and the id of their queue item.

    The id is 0 for moderators of groups, who may not see each item in the queue.
    """

    number: int
    item_id: int


def open_flags(post: Post, comment_ids: Collection[int], powers: Powers) -> dict[int, OpenFlags]:
    """Map the ids of flagged comments, and `POST` for the post, to their open flags. One query.

    Moderators of groups don't see flags that are only for the site's moderators.
    """
    about = Q(post=post.pk) | Q(comment__in=comment_ids)
    counted = Q() if powers.reads_everything else Q(flags__to_admins=False)
    items = QueueItem.objects.filter(about, decided_at=None)
    rows = items.annotate(number=Count("flags", filter=counted)).filter(number__gt=0)
    return {
        comment_id or POST: OpenFlags(number, item_id if powers.reads_everything else 0)
        for item_id, comment_id, number in rows.values_list("pk", "comment_id", "number")
    }
