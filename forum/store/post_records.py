"""Converts posts from SQL to the types of `voting`."""

from collections.abc import Collection, Iterator, Mapping

from django.db.models import Prefetch, QuerySet

from forum.models import ArchivedVote, Group, Post
from forum.store import post_cards
from forum.store.service import get_voting_service
from forum.store.voters import Voters, by_target
from voting import types

BATCH = 500
"""How many posts one query reads."""


def to_voting_post(post: Post) -> types.Post:
    """Convert a post to the type that `voting` stores."""
    return types.Post(
        id=post.pk,
        author_id=post.author_id,
        posted_at=post.posted_at,
        groups=tuple(group.slug for group in post.groups.all()),
        card=post_cards.pack(post),
        version=post.version,
        comments=post.comment_count,
        commented_at=int(post.commented_at.timestamp()) if post.commented_at else 0,
    )


def readable(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return the query set with all data of posts that `to_voting_post` reads."""
    slugs = Prefetch("groups", queryset=Group.objects.only("slug"))
    return post_cards.with_cards(posts).prefetch_related(slugs)


def read_post_records(posts: QuerySet[Post]) -> Iterator[types.PostRecord]:
    """Convert posts to PostRecords with vote counts from SQL, ordered by id.

    A record also lists the people who voted, if Redis still keeps that list (the voter set) for the
    post.
    """
    after = 0
    while batch := list(readable(posts.filter(pk__gt=after).order_by("pk"))[:BATCH]):
        after = batch[-1].pk
        voters = _voters(
            [post for post in batch if get_voting_service().votes.has_voter_set(post.posted_at)]
        )
        for post in batch:
            votes = voters.get(post.pk, Voters())
            yield types.PostRecord(
                post=to_voting_post(post),
                up=post.up,
                down=post.down,
                ups=tuple(votes.ups),
                downs=tuple(votes.downs),
                uncounted=votes.uncounted,
                newcomers=votes.newcomers,
                views=post.views,
                starting_points=post.starting_points,
            )


def _voters(posts: Collection[Post]) -> Mapping[int, Voters]:
    cast = ArchivedVote.objects.filter(post_id__in=[post.pk for post in posts], comment_id=0)
    return by_target(cast, "post_id", {post.pk: post.author_id for post in posts})
