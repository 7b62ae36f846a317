"""Watching threads, and blocks between people."""

from django.db.models import F, FilteredRelation, Q, QuerySet

from forum.errors import Gone
from forum.models import Block, Post, User, Watch


def with_watch(posts: QuerySet[Post], user_id: int | None) -> QuerySet[Post]:
    """Return posts whose `watched` says whether a person watches them; None if never decided."""
    own = FilteredRelation("watches", condition=Q(watches__user=user_id))
    return posts.annotate(own_watch=own, watched=F("own_watch__on"))


def watch(user: User, post: Post, on: bool) -> None:
    """Notify a person of new comments on a post, or stop, even after own comments. Raises Gone."""
    if on and post.deleted_at:
        raise Gone(post)
    Watch.objects.update_or_create(post=post, user=user, defaults={"on": on})


def begins_to_watch(writer: User, post: Post) -> bool:
    """Return whether writing in a thread now makes a person watch it. One query at most."""
    return writer.watches_own and not Watch.objects.filter(user=writer, post=post).exists()


def watch_from_now_on(writer: User, post_id: int) -> None:
    """Make a person watch a thread that they write in, unless they decided before, or don't want
    that in general. One query at most.
    """
    if writer.watches_own:
        Watch.objects.bulk_create([Watch(user=writer, post_id=post_id)], ignore_conflicts=True)


def blocks(user_id: int, person_id: int) -> bool:
    """Return whether one person has blocked another. One query."""
    return Block.objects.filter(user_id=user_id, blocked_id=person_id).exists()
