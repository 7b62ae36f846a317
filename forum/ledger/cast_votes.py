"""Votes with their states: how a person's vote in SQL changes when a ledger entry is archived."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple, Self

from forum.ledger import bulk_sql
from forum.models import ArchivedVote, LedgerEntry, VoteState
from voting.types import VOID, Target, Vote
from voting.types.maintenance import VoteEntry

COLUMNS = ("vote", "at", "state", "counts_at")
VOTE = ("post_id", "comment_id", "user_id")
KNOWN_VOTES = """SELECT post_id, comment_id, user_id, vote, at, state, counts_at
    FROM {rows} JOIN forum_archivedvote USING (post_id, comment_id, user_id)
"""
Key = tuple[Target, int]
"""A post or comment, and a person's id."""


class CastVote(NamedTuple):
    """A vote, when it was cast, and whether it counts."""

    vote: Vote
    at: datetime
    state: VoteState = VoteState.COUNTED
    counts_at: datetime | None = None
    """The time until which the vote waits or waited; None if it never had to."""

    @classmethod
    def of(cls, row: ArchivedVote | LedgerEntry) -> Self:
        """Return the vote in a row of SQL."""
        return cls(Vote(row.vote), row.at, VoteState(row.state), row.counts_at)

    @property
    def counts(self) -> bool:
        return self.state == VoteState.COUNTED

    @property
    def since(self) -> datetime:
        """When the vote was cast, or began to count after it had waited."""
        return self.at if self.counts_at is None else max(self.at, self.counts_at)

    def followed_by(self, later: "CastVote") -> "CastVote":
        """Return what becomes of this vote when the person casts `later` on the same target.

        A void vote stays void, whatever its voter changes. Until Redis knows that a vote was
        restored or has begun to count, it sends the person's next vote as void or waiting.
        """
        if later.state == VoteState.VOID:
            return later._replace(state=self.state, counts_at=self.counts_at)
        if self.state == VoteState.VOID:
            return later._replace(state=VoteState.VOID)
        if later.state == VoteState.WAITING and self.counts and self.counts_at == later.counts_at:
            return later._replace(state=VoteState.COUNTED)
        return later


def cast_in(entry: VoteEntry) -> CastVote:
    """Return the vote in an entry of the ledger in Redis."""
    at = datetime.fromtimestamp(entry.at, UTC)
    if entry.counts_at is None:
        return CastVote(entry.vote, at)
    if entry.counts_at == VOID:
        return CastVote(entry.vote, at, VoteState.VOID)
    waits = datetime.fromtimestamp(entry.counts_at, UTC)
    return CastVote(entry.vote, at, VoteState.WAITING, waits)


def known(votes: Collection[Key]) -> dict[Key, CastVote]:
    """Return those of the votes that SQL has."""
    keys = sorted((target.post_id, target.comment_id, who) for target, who in votes)
    return {
        (Target(post_id, comment_id), who): CastVote(
            Vote(vote), _utc(at), VoteState(state), counts_at and _utc(counts_at)
        )
        for post_id, comment_id, who, vote, at, state, counts_at in bulk_sql.read(
            KNOWN_VOTES, ArchivedVote, VOTE, keys
        )
    }


def after(before: dict[Key, CastVote], entries: Iterable[VoteEntry]) -> dict[Key, CastVote]:
    """Return the votes after ledger entries, in order. `before` has the votes before them."""
    votes = dict[Key, CastVote]()
    for entry in entries:
        key, later = (entry.target, entry.user_id), cast_in(entry)
        earlier = votes.get(key) or before.get(key)
        votes[key] = earlier.followed_by(later) if earlier else later
    return votes


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC)
