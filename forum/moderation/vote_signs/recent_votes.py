"""Reads the votes of the last days from the ledger in SQL."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings

from forum.models import Comment, LedgerEntry, Post, User, VoteState
from forum.queries.batches import batches
from forum.store.newcomers import launch
from forum.store.service import get_voting_service
from voting.types import Target

Kind = LedgerEntry.Kind
NEWEST_PEOPLE = 10_000
"""New accounts are looked for among so many newest ones."""


@dataclass(frozen=True, slots=True)
class RecentVote:
    """A person's current vote on what somebody else wrote, and when it was cast."""

    user_id: int
    target: Target
    author_id: int
    vote: int
    at: datetime
    is_new: bool
    """Whether the account was new when it voted."""


@dataclass(frozen=True, slots=True)
class _Cast:
    vote: int
    at: datetime
    state: int


def recent_votes(span: timedelta, newest: int) -> list[RecentVote]:
    """Return the votes of a time span until now, except void ones and those on one's own texts.

    Reads only the `newest` entries of the ledger. Five queries, and two more for each 500 posts
    and comments with votes.
    """
    since = _now() - span
    cast = _cast(since, newest)
    authors = _authors({target for target, _who in cast})
    ends = _new_until(since)
    return [
        RecentVote(
            who, target, authors[target], found.vote, found.at, who in ends and found.at < ends[who]
        )
        for (target, who), found in cast.items()
        if found.vote and found.state != VoteState.VOID and authors.get(target, who) != who
    ]


def _cast(since: datetime, newest: int) -> dict[tuple[Target, int], _Cast]:
    """Return the votes that ledger entries since a time are about, as they are now."""
    last = LedgerEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    entries = LedgerEntry.objects.filter(
        pk__gt=last - newest, at__gte=since, kind__in=LedgerEntry.VOTES
    )
    votes = dict[tuple[Target, int], _Cast]()
    for who, post_id, comment_id, vote, at, state, kind in entries.order_by("pk").values_list(
        "user_id", "post_id", "comment_id", "vote", "at", "state", "kind"
    ):
        key = Target(post_id, comment_id), who
        cast_at = at if kind == Kind.VOTE or key not in votes else votes[key].at
        votes[key] = _Cast(vote, cast_at, state)
    return votes


def _authors(targets: Collection[Target]) -> dict[Target, int]:
    """Map posts and comments to the ids of their authors, without those that SQL doesn't have."""
    return dict(_authors_of_posts(targets)) | dict(_authors_of_comments(targets))


def _authors_of_posts(targets: Collection[Target]) -> Iterator[tuple[Target, int]]:
    for some in batches(one.post_id for one in targets if not one.comment_id):
        for pk, author_id in Post.objects.filter(pk__in=some).values_list("pk", "author_id"):
            yield Target(pk), author_id


def _authors_of_comments(targets: Collection[Target]) -> Iterator[tuple[Target, int]]:
    for some in batches(one.comment_id for one in targets if one.comment_id):
        found = Comment.objects.filter(pk__in=some)
        for pk, post_id, author_id in found.values_list("pk", "post_id", "author_id"):
            yield Target(post_id, pk), author_id


def _new_until(since: datetime) -> dict[int, datetime]:
    """Map the people whose accounts were new at some time since then to the end of that time.

    Nobody is new in the first week of the site, nor anybody whose votes count at once.
    """
    if not launch.is_over():
        return {}
    new = timedelta(seconds=settings.NEW_PERSON)
    last = User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    people = User.objects.filter(
        pk__gt=last - NEWEST_PEOPLE, date_joined__gt=since - new, counts_at_once=False
    )
    return {pk: joined + new for pk, joined in people.values_list("pk", "date_joined")}


def _now() -> datetime:
    return datetime.fromtimestamp(get_voting_service().now(), UTC)
