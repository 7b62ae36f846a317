"""Posts as SQL remembers them, in the form voting loads."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from django.db.models import Prefetch, QuerySet

from forum import cards
from forum.models import ArchivedVote, Group, Post
from forum.store import voting
from voting import types

BATCH = 500
"""Posts read in one go."""


def described(post: Post) -> types.Post:
    """Return what voting must know of a post; reads its author and groups."""
    return types.Post(
        id=post.pk,
        author_id=post.author_id,
        posted_at=post.posted_at,
        groups=tuple(group.slug for group in post.groups.all()),
        card=cards.pack(post),
        version=post.version,
    )


def readable(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return posts with what `described` reads. Two queries for all of them."""
    slugs = Prefetch("groups", queryset=Group.objects.only("slug"))
    return posts.select_related("author").prefetch_related(slugs)


def records(posts: QuerySet[Post]) -> Iterator[types.Record]:
    """Yield the records of posts by id, `BATCH` at a time. Three queries a batch.

    Tallies are the archived ones; voters are read only where Redis still keeps them. An author
    of whom the archive has no vote is one who voted up: it was lost with Redis, or is under way.
    """
    after = 0
    while batch := list(readable(posts.filter(pk__gt=after).order_by("pk"))[:BATCH]):
        after = batch[-1].pk
        voters = _voters([post for post in batch if voting().keeps_voters(post.posted_at)])
        for post in batch:
            votes = voters[post.pk]
            yield types.Record(
                post=described(post),
                up=post.up,
                down=post.down,
                ups=tuple(votes[types.Vote.UP]),
                downs=tuple(votes[types.Vote.DOWN]),
            )


def _voters(posts: Collection[Post]) -> defaultdict[int, dict[types.Vote, list[int]]]:
    found: defaultdict[int, dict[types.Vote, list[int]]] = defaultdict(
        lambda: {vote: [] for vote in types.Vote}
    )
    cast = ArchivedVote.objects.filter(post_id__in=[post.pk for post in posts], comment_id=0)
    for post_id, user_id, vote in cast.values_list("post_id", "user_id", "vote"):
        found[post_id][types.Vote(vote)].append(user_id)
    for post in posts:
        votes = found[post.pk]
        if not any(post.author_id in people for people in votes.values()):
            votes[types.Vote.UP].append(post.author_id)
    return found
