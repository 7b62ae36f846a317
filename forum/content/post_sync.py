"""Syncs posts and their comments to Redis: after each change, and from the outbox."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from forum.gateway import comment_records
from forum.gateway.post_records import described, readable, records
from forum.gateway.service import get_voting_service
from forum.models import ArchivedVote, OutboxItem, Post
from forum.sync import outbox
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

        Imported posts that Redis doesn't know are first loaded with their votes. Raises
        StoreUnavailable if Redis is unavailable.
        """
        post_ids = list(dict.fromkeys(one.post_id for one in syncs))
        posts = Post.objects.filter(pk__in=post_ids)
        service = get_voting_service()
        for post in readable(posts.exclude(pk__in=_load_voted(post_ids))):
            if post.deleted_at:
                service.posts.retract(post.pk, post.version)
            else:
                service.posts.publish(described(post))
        comment_ids = {one.comment_id for one in syncs if one.comment_id}
        if comment_ids:
            comment_records.deliver(comment_ids)


def deliver(post_ids: Collection[int]) -> None:
    """Sync posts from SQL to Redis now, and deliver all outbox rows about these posts.

    Safe to repeat. Raises StoreUnavailable if Redis is unavailable.
    """
    items = list(OutboxItem.objects.filter(kind=PostSync.kind, subject_id__in=post_ids))
    outbox.deliver(items)
    rest = set(post_ids).difference(item.subject_id for item in items)
    if rest:
        PostSync.deliver([PostSync(post_id) for post_id in sorted(rest)])


def _load_voted(post_ids: Sequence[int]) -> set[int]:
    """Load imported posts into Redis: posts that have votes in SQL but aren't in Redis.

    Returns the ids of these posts if all were loaded; otherwise an empty set.
    """
    loading = get_voting_service().maintenance.loading
    known = loading.known([Target(post_id) for post_id in post_ids])
    unknown = set(post_ids) - {target.post_id for target in known}
    votes = ArchivedVote.objects.filter(post_id__in=unknown, comment_id=0)
    voted = set(votes.values_list("post_id", flat=True).distinct()) if unknown else unknown
    if not voted:
        return voted
    posts = Post.objects.visible().filter(pk__in=voted)
    return voted if loading.load_posts(records(posts)) == len(voted) else set()
