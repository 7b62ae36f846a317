"""Starts and ends people's watches of threads."""

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet

from forum.errors import Gone
from forum.models import Comment, Post, User, Watch
from forum.queries.batches import PIECE


def with_watch(posts: QuerySet[Post], user_id: int | None) -> QuerySet[Post]:
    """Annotate posts with `watched` and `mutes_replies`: what the person has chosen for the thread.

    `watched` is False if the person stopped watching the post. Both are None without a choice.
    """
    own = FilteredRelation("watches", condition=Q(watches__user=user_id))
    chosen = {"watched": F("own_watch__on"), "mutes_replies": F("own_watch__muted")}
    return posts.annotate(own_watch=own, **chosen)


def watch(user: User, post: Post, on: bool) -> None:
    """Start or end a person's watch on a post.

    After a person has ended a watch, writing a comment doesn't start it again. Watching a thread
    unmutes it. Raises Gone if the watched post was deleted.
    """
    if on and post.deleted_at:
        raise Gone(post)
    decided = {"on": on, "united_from": None} | ({"muted": False} if on else {})
    Watch.objects.update_or_create(post=post, user=user, defaults=decided)


def mute(user: User, post: Post, on: bool) -> None:
    """Stop or resume notifications of replies to a person in a thread.

    Muting also ends the person's watch. Mentions still notify.
    """
    decided = {"muted": on} | ({"on": False, "united_from": None} if on else {})
    new = {"on": False} | decided
    Watch.objects.update_or_create(post=post, user=user, defaults=decided, create_defaults=new)


def mutes_thread(user_id: OuterRef, post_id: int) -> Exists:
    """Return a condition for queries of people: whether a person has muted a thread."""
    return Exists(Watch.objects.filter(user=user_id, post=post_id, muted=True))


def begins_to_watch(writer: User, post: Post) -> bool:
    """Return whether the writer would begin to watch a thread by commenting."""
    return writer.watches_own and not Watch.objects.filter(user=writer, post=post).exists()


def watch_from_now_on(writer: User, post_id: int) -> None:
    """Start a watch for a person who wrote in a thread.

    Changes nothing if the person already watches the thread, has stopped watching it, or turned off
    automatic watches.
    """
    if writer.watches_own:
        Watch.objects.bulk_create([Watch(user=writer, post_id=post_id)], ignore_conflicts=True)


def unite(source: Post, target: Post, after: int) -> int | None:
    """Copy up to 500 people's watches from the merged post `source` to `target`.

    Copies watches of people with ids above `after`, in the order of the ids. Skips people who
    already watch `target` or stopped watching it. Returns the id of the last person, or None if
    there were no watches.
    """
    watching = Watch.objects.filter(post=source, on=True, user__gt=after).order_by("user")
    user_ids = list(watching.values_list("user_id", flat=True)[:PIECE])
    Watch.objects.bulk_create(
        [Watch(user_id=one, post=target, united_from=source) for one in user_ids],
        ignore_conflicts=True,
    )
    return user_ids[-1] if user_ids else None


def separate(source: Post, target: Post) -> None:
    """End those watches of the post `target` that `unite` copied from the post `source`.

    People who commented on `target` keep their watches.
    """
    writers = Comment.objects.filter(post=target).values("author")
    united = Watch.objects.filter(post=target, united_from=source)
    united.exclude(user__in=writers).delete()
    united.update(united_from=None)
