"""Watching threads, and blocks between people."""

from django.db.models import F, FilteredRelation, Q, QuerySet

from forum.errors import Gone
from forum.models import Block, Post, User, Watch


def with_watch(posts: QuerySet[Post], user_id: int | None) -> QuerySet[Post]:
    """Return posts with `watched`: whether the person watches them, None if they never decided."""
    own = FilteredRelation("watches", condition=Q(watches__user=user_id))
    return posts.annotate(own_watch=own, watched=F("own_watch__on"))


def watch(user: User, post: Post, on: bool) -> None:
    """Start or stop notifying a person of new comments on a post. Raises Gone.

    Once stopped, their own new comments don't start it again.
    """
    if on and post.deleted_at:
        raise Gone(post)
    Watch.objects.update_or_create(post=post, user=user, defaults={"on": on})


def begins_to_watch(writer: User, post: Post) -> bool:
    """Return whether a person who writes in a thread now starts to watch it. At most one query."""
    return writer.watches_own and not Watch.objects.filter(user=writer, post=post).exists()


def watch_from_now_on(writer: User, post_id: int) -> None:
    """Make a person watch a thread that they write in. At most one query.

    Not if they have decided about this thread before, or don't want to watch threads they write in.
    """
    if writer.watches_own:
        Watch.objects.bulk_create([Watch(user=writer, post_id=post_id)], ignore_conflicts=True)


def blocks(user_id: int, person_id: int) -> bool:
    """Return whether the person `user_id` has blocked the person `person_id`. One query."""
    return Block.objects.filter(user_id=user_id, blocked_id=person_id).exists()
