"""Posts with a past: published long ago, voted on by people long since gone."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.utils import timezone

from forum.content import publishing
from forum.counts.archive import Archiver
from forum.models import ArchivedVote, OutboxItem, Post, User
from forum.store import voting
from tests.forum.cast import groups, post
from voting.types import Target, Vote

BRAM, CLEO, DINA = 900_501, 900_502, 900_503
"""Three who vote; SQL does not know them, and gives no such ids to people."""


def disputed(author: User) -> Post:
    """Return a post in two groups that Bram likes and Cleo does not."""
    made = post(author, slugs="books maths")
    voting().cast_vote(BRAM, Target(made.pk), Vote.UP)
    voting().cast_vote(CLEO, Target(made.pk), Vote.DOWN)
    return made


def of_all_ages(author: User) -> list[Post]:
    """Return posts that are open, closed, closed and forgotten; some in several groups; with votes.

    The first three are closed. Bram's vote on all others is up; Cleo's is up or down, Dina's none.
    """
    with transaction.atomic():
        made = [
            past_post(author, days=40, ups=(BRAM, CLEO, DINA), slugs="books maths"),
            past_post(author, days=8, ups=(BRAM,), downs=(CLEO, DINA), slugs="maths"),
            past_post(author, days=7.02, ups=(CLEO,), downs=(BRAM,), slugs="books"),
            past_post(author, days=3, ups=(600, 601, 602), slugs="books maths"),
            *(past_post(author, days=hour / 24, slugs="books") for hour in range(22)),
        ]
    publishing.deliver([one.pk for one in made])
    made += [post(author, slugs="maths books") for _ in range(3)]
    for number, one in enumerate(made[3:]):
        voting().cast_vote(BRAM, Target(one.pk), Vote.UP)
        voting().cast_vote(CLEO, Target(one.pk), Vote.DOWN if number % 3 else Vote.UP)
        voting().cast_vote(DINA, Target(one.pk), Vote.UP)
        voting().cast_vote(DINA, Target(one.pk), Vote.NONE)
    return made


def archive_all() -> None:
    """Do the worker's work."""
    reader = Archiver("worker")
    while voting().upkeep.ledger_lag():
        reader.step(block_ms=1)
    reader.stop()


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
