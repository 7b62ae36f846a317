"""Watching threads, and who is blocked."""

from django.db.models import F, FilteredRelation, Q, QuerySet

from forum.models import Block, Post, User, Watch


def with_watch(posts: QuerySet[Post], user_id: int | None) -> QuerySet[Post]:
    """Return posts that know, as `watched`, whether a person hears of their new comments; None
    where they never decided.
    """
    own = FilteredRelation("watches", condition=Q(watches__user=user_id))
    return posts.annotate(own_watch=own, watched=F("own_watch__on"))


def watch(user: User, post: Post, on: bool) -> None:
    """Have a person hear of new comments on a post, or not even of those after their own."""
    Watch.objects.update_or_create(post=post, user=user, defaults={"on": on})


def begins_to_watch(writer: User, post: Post) -> bool:
    """Say whether writing in a thread now would make a person watch it. One query at most."""
    return writer.watches_own and not Watch.objects.filter(user=writer, post=post).exists()


def watch_from_now_on(writer: User, post_id: int) -> None:
    """Make a person watch a thread that they write in, unless they decided about it before or want
    to watch none for that reason. One query at most.
    """
    if writer.watches_own:
        Watch.objects.bulk_create([Watch(user=writer, post_id=post_id)], ignore_conflicts=True)


def blocks(user_id: int, person_id: int) -> bool:
    """Say whether one person has blocked another. One query."""
    return Block.objects.filter(user_id=user_id, blocked_id=person_id).exists()
