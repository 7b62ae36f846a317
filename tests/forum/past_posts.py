"""Creates posts that were published some time ago, with votes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, Post, User
from forum.store import outbox, post_sync
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.factories import post, posts, put_in_groups
from voting.types import Target, Vote

BRAM, CLEO, DINA = 900_501, 900_502, 900_503
"""Ids of voters who have no account in SQL. The ids are too high for any real account."""


def disputed_post(author: User) -> Post:
    """Publish a post in two groups, with an up vote by Bram and a down vote by Cleo."""
    made = post(author, slugs="books maths")
    get_voting_service().votes.cast(BRAM, Target(made.pk), Vote.UP)
    get_voting_service().votes.cast(CLEO, Target(made.pk), Vote.DOWN)
    return made


def posts_of_all_ages(author: User) -> list[Post]:
    """Publish posts with votes and return the posts. Voting is closed on the first three posts."""
    made = past_posts(
        author,
        PastPost(40, ups=(BRAM, CLEO, DINA), slugs="books maths"),
        PastPost(8, ups=(BRAM,), downs=(CLEO, DINA), slugs="maths"),
        PastPost(7.02, ups=(CLEO,), downs=(BRAM,)),
        PastPost(3, ups=(600, 601, 602), slugs="books maths"),
        *(PastPost(hour / 24) for hour in range(22)),
    )
    post_sync.deliver([one.pk for one in made])
    made += posts(author, 3, slugs="maths books")
    for number, one in enumerate(made[3:]):
        get_voting_service().votes.cast(BRAM, Target(one.pk), Vote.UP)
        get_voting_service().votes.cast(CLEO, Target(one.pk), Vote.DOWN if number % 3 else Vote.UP)
        get_voting_service().votes.cast(DINA, Target(one.pk), Vote.UP)
        get_voting_service().votes.cast(DINA, Target(one.pk), Vote.NONE)
    return made


def archive_all() -> None:
    """Copy all new votes from Redis to SQL, as the worker does."""
    reader = Archiver("worker")
    while get_voting_service().maintenance.ledger.lag():
        reader.step(block_ms=1)
    reader.stop()


@dataclass(frozen=True)
class PastPost:
    """Describes a post to create: its age in days, its voters, and its groups."""

    days: float
    ups: Iterable[int] = ()
    downs: Iterable[int] = ()
    slugs: str = "books"


def past_posts(author: User, *pasts: PastPost) -> list[Post]:
    """Write posts and their votes to SQL, as an import does, and return the posts."""
    cast = [_cast(author, past) for past in pasts]
    made = Post.objects.bulk_create(map(partial(_written, author), pasts, cast))
    put_in_groups(made, [past.slugs.split() for past in pasts])
    ArchivedVote.objects.bulk_create(
        ArchivedVote(user_id=person, post_id=one.pk, vote=vote, at=one.created_at)
        for one, votes in zip(made, cast, strict=True)
        for person, vote in votes.items()
    )
    outbox.write(*(PostSync(one.pk) for one in made))
    return made


def past_post(author: User, **past: Any) -> Post:
    """Write one post and its votes to SQL, and return the post."""
    return past_posts(author, PastPost(**past))[0]


def _cast(author: User, past: PastPost) -> dict[int, Vote]:
    cast = {author.pk: Vote.UP} | dict.fromkeys(past.ups, Vote.UP)
    return cast | dict.fromkeys(past.downs, Vote.DOWN)


def _written(author: User, past: PastPost, cast: dict[int, Vote]) -> Post:
    created = (timezone.now() - timedelta(days=past.days)).replace(microsecond=0)
    up, down = (list(cast.values()).count(vote) for vote in (Vote.UP, Vote.DOWN))
    return Post(
        author=author,
        kind=Post.Kind.TEXT,
        title=f"A post of {past.days} days ago",
        created_at=created,
        up=up,
        down=down,
        score=get_voting_service().posts.hot_score(int(created.timestamp()), up - down),
    )


def to_datetime(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
