"""Posts with a past: published long ago, voted on by people long since gone."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from forum.models import ArchivedVote, OutboxItem, Post, User
from forum.store import voting
from tests.forum.cast import groups, post
from voting.types import Target, Vote

BRAM, CLEO = 900_501, 900_502
"""Two who vote; SQL does not know them, and gives no such ids to people."""


def disputed(author: User) -> Post:
    """Return a post in two groups that Bram likes and Cleo does not."""
    made = post(author, slugs="books maths")
    voting().cast_vote(BRAM, Target(made.pk), Vote.UP)
    voting().cast_vote(CLEO, Target(made.pk), Vote.DOWN)
    return made


def past_post(
    author: User,
    *,
    days: float,
    ups: Iterable[int] = (),
    downs: Iterable[int] = (),
    slugs: str = "books",
) -> Post:
    """Return a post of some days ago, with its voters in the archive, as an import writes it.

    It waits in the outbox.
    """
    created = (timezone.now() - timedelta(days=days)).replace(microsecond=0)
    cast = {author.pk: Vote.UP} | dict.fromkeys(ups, Vote.UP) | dict.fromkeys(downs, Vote.DOWN)
    up, down = (list(cast.values()).count(vote) for vote in (Vote.UP, Vote.DOWN))
    made = Post.objects.create(
        author=author,
        kind=Post.Kind.TEXT,
        title=f"A post of {days} days ago",
        created_at=created,
        up=up,
        down=down,
        score=voting().score(int(created.timestamp()), up - down),
    )
    made.groups.set(groups(*slugs.split()))
    ArchivedVote.objects.bulk_create(
        ArchivedVote(user_id=person, post_id=made.pk, vote=vote, at=created)
        for person, vote in cast.items()
    )
    OutboxItem.objects.create(post=made)
    return made


def moment(seconds: int) -> datetime:
    """Return a moment in SQL's words."""
    return datetime.fromtimestamp(seconds, UTC)
