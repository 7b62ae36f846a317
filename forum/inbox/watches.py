"""Watching threads, and blocks between people."""

from django.db.models import F, FilteredRelation, Q, QuerySet

from forum.errors import Gone
from forum.models import Block, Comment, Post, User, Watch
from forum.queries.batches import PIECE


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
    decided = {"on": on, "united_from": None}
    Watch.objects.update_or_create(post=post, user=user, defaults=decided)


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


def unite(source: Post, target: Post, after: int) -> int | None:
    """Make some of the people who watch a merged post, with ids above `after`, watch the other.

    Not those who have decided about that thread. Return the last of them; None if there are no
    more. Two queries.
    """
    watching = Watch.objects.filter(post=source, on=True, user__gt=after).order_by("user")
    user_ids = list(watching.values_list("user_id", flat=True)[:PIECE])
    Watch.objects.bulk_create(
        [Watch(user_id=one, post=target, united_from=source) for one in user_ids],
        ignore_conflicts=True,
    )
    return user_ids[-1] if user_ids else None


def separate(source: Post, target: Post) -> None:
    """End the watches that `unite` began, except of people who wrote in the other thread.

    One query.
    """
    writers = Comment.objects.filter(post=target).values("author")
    united = Watch.objects.filter(post=target, united_from=source)
    united.exclude(user__in=writers).delete()
    united.update(united_from=None)
