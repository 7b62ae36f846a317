"""Syncs posts and their comments to Redis: after each change, and from the outbox."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from django.db.models import Exists, OuterRef, Q

from forum.models import ArchivedVote, Comment, OutboxItem, Post
from forum.store import comment_records, outbox
from forum.store.post_records import read_post_records, readable, to_voting_post
from forum.store.service import get_voting_service
from voting.types import Target


@dataclass(frozen=True)
class PostSync(outbox.Sync):
    """Syncs a post from SQL to Redis, and one comment on the post if `comment_id` is given."""

    kind = OutboxItem.POST
    post_id: int
    comment_id: int | None = None

    @property
    def subject_id(self) -> int:
        """The post's id. Checks that compare Redis with SQL use it to find posts in the outbox."""
        return self.post_id

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Sync posts and comments from SQL to Redis.

        Imported posts that Redis doesn't know are first loaded with their votes and points. Raises
        StoreUnavailable if Redis is unavailable.
        """
        post_ids = list(dict.fromkeys(one.post_id for one in syncs))
        posts = Post.objects.filter(pk__in=post_ids)
        service = get_voting_service()
        for post in readable(posts.exclude(pk__in=_load_from_sql(post_ids))):
            if post.deleted_at:
                service.posts.retract(post.pk, post.version)
            else:
                service.posts.publish(to_voting_post(post))
        comment_ids = {one.comment_id for one in syncs if one.comment_id}
        if comment_ids:
            _sync_comments(comment_ids)


def deliver(post_ids: Collection[int]) -> None:
    """Sync posts from SQL to Redis now, and deliver all outbox rows about these posts.

    Safe to repeat. Raises StoreUnavailable if Redis is unavailable.
    """
    items = list(OutboxItem.objects.filter(kind=PostSync.kind, subject_id__in=post_ids))
    outbox.deliver(items)
    rest = set(post_ids).difference(item.subject_id for item in items)
    if rest:
        PostSync.deliver([PostSync(post_id) for post_id in sorted(rest)])


def _load_from_sql(post_ids: Sequence[int]) -> set[int]:
    """Load posts into Redis that aren't there, but are imported or have votes in SQL.

    Returns the ids of these posts if all were loaded; otherwise an empty set.
    """
    loading = get_voting_service().maintenance.loading
    known = loading.known([Target(post_id) for post_id in post_ids])
    unknown = set(post_ids) - {target.post_id for target in known}
    if not unknown:
        return unknown
    votes = ArchivedVote.objects.filter(post_id=OuterRef("pk"), comment_id=0)
    posts = Post.objects.filter(Exists(votes) | Q(origin__isnull=False), pk__in=unknown)
    imported = set(posts.values_list("pk", flat=True))
    if not imported:
        return imported
    records = read_post_records(Post.objects.visible().filter(pk__in=imported))
    return imported if loading.load_posts(records) == len(imported) else set()


def _sync_comments(comment_ids: Collection[int]) -> None:
    """Sync comments from SQL to Redis. Raises StoreUnavailable if Redis is down.

    Comments that have votes in SQL but aren't in Redis yet, such as imported ones, are loaded with
    their voters.
    """
    readable = comment_records.readable(Comment.objects.filter(pk__in=comment_ids))
    comments = list(readable.order_by("pk"))
    visible = [comment for comment in comments if comment.deleted_at is None]
    service = get_voting_service()
    unknown = _unknown_voted(visible)
    if unknown:
        unloaded = comment_records.read_comment_records(Comment.objects.filter(pk__in=unknown))
        service.maintenance.loading.load_comments(unloaded)
    service.comments.publish(*map(comment_records.to_voting_comment, visible))
    for comment in comments:
        if comment.deleted_at:
            service.comments.retract(comment.post_id, comment.pk, comment.version)


def _unknown_voted(visible: Collection[Comment]) -> list[int]:
    """Return the ids of comments that have archived votes but aren't in Redis."""
    if not visible:
        return []
    voted = comment_records.archived_votes(visible).values_list("post_id", "comment_id")
    targets = [Target(post_id, comment_id) for post_id, comment_id in voted.distinct()]
    known = get_voting_service().maintenance.loading.known(targets) if targets else ()
    return [target.comment_id for target in targets if target not in known]
