"""Reads archived votes from SQL: a person's votes, and all votes on a post or comment."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from forum.models import ArchivedVote, VoteState
from forum.store.newcomers import newcomers
from voting.types import VOID, Newcomer, Target, Vote


class OwnVote(NamedTuple):
    """A person's own vote on a post or comment."""

    vote: Vote = Vote.NONE
    counts_at: int | None = None
    """If the vote doesn't count: when it will (s since 1970), or `VOID`."""


def archived_votes(user_id: int, post_ids: Collection[int]) -> dict[int, OwnVote]:
    """Map the ids of posts to a person's archived votes on these posts."""
    found = ArchivedVote.objects.filter(user_id=user_id, post_id__in=post_ids, comment_id=0)
    return _own_votes(found, "post_id")


def archived_thread_votes(
    user_id: int, post_id: int, comment_ids: Collection[int]
) -> dict[int, OwnVote]:
    """Return a person's archived votes on a post's comments, by comment id.

    In `comment_ids` and in the result, the id 0 stands for the post itself.
    """
    found = ArchivedVote.objects.filter(
        user_id=user_id, post_id=post_id, comment_id__in=comment_ids
    )
    return _own_votes(found, "comment_id")


def archived_comment_votes(user_id: int, targets: Iterable[Target]) -> dict[int, OwnVote]:
    """Map the ids of comments, on any posts, to a person's archived votes on them."""
    targets = list(targets)
    found = ArchivedVote.objects.filter(
        user_id=user_id,
        post_id__in={target.post_id for target in targets},  # the index begins with the post
        comment_id__in=[target.comment_id for target in targets],
    )
    return _own_votes(found, "comment_id")


def _own_votes(found: QuerySet[ArchivedVote], on: str) -> dict[int, OwnVote]:
    """Return a person's votes by the id in the column `on`. One query."""
    return {
        target_id: OwnVote(Vote(vote), _waits_until(state, counts_at))
        for target_id, vote, state, counts_at in found.values_list(on, "vote", "state", "counts_at")
    }


def _waits_until(state: int, counts_at: datetime | None) -> int | None:
    """Return when an archived vote will count (s since 1970), `VOID`, or None if it counts."""
    if state == VoteState.COUNTED:
        return None
    return VOID if state == VoteState.VOID or counts_at is None else int(counts_at.timestamp())


@dataclass
class Voters:
    """The ids of everybody who voted on a post or comment, and whose votes don't count."""

    ups: list[int] = field(default_factory=list)
    downs: list[int] = field(default_factory=list)
    uncounted: dict[int, int] = field(default_factory=dict)
    """Voter's id -> when the vote counts (s since 1970), or `VOID`."""
    newcomers: dict[int, Newcomer] = field(default_factory=dict)
    """Voters whose votes count although their accounts are new."""


def by_target(
    cast: QuerySet[ArchivedVote], on: str, authors: Mapping[int, int]
) -> dict[int, Voters]:
    """Return the voters of posts or comments, by the id in the column `on`. Two queries.

    `authors` maps these ids to authors' ids. If `cast` has no vote by the author of a target, adds
    an up vote by the author.
    """
    rows = list(cast.values_list(on, "user_id", "vote", "state", "counts_at"))
    new = newcomers({user_id for _, user_id, *_ in rows})
    found = {target_id: Voters() for target_id in authors}
    voted = set[tuple[int, int]]()
    for target_id, user_id, vote, state, counts_at in rows:
        voters = found[target_id]
        voted.add((target_id, user_id))
        if vote:
            (voters.ups if vote == Vote.UP else voters.downs).append(user_id)
        waits_until = _waits_until(state, counts_at)
        if waits_until is not None:
            voters.uncounted[user_id] = waits_until
        elif vote and user_id in new and user_id != authors[target_id]:
            voters.newcomers[user_id] = new[user_id]
    for target_id, author_id in authors.items():
        if (target_id, author_id) not in voted:
            found[target_id].ups.append(author_id)
    return found
