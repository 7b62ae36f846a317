"""Votes by the day they were cast, and what they add to leaderboards, karma and likes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from forum.gateway.service import get_voting_service
from voting.types import Target, Vote
from voting.types.boards import BoardKey, BoardKind


@dataclass(frozen=True, slots=True)
class DatedVote:
    """A vote as it was cast on a day."""

    vote: Vote
    day: date


@dataclass(frozen=True, slots=True)
class Change:
    """A person's vote on a target, as it was before (None: there was none) and as it is now."""

    user_id: int
    target: Target
    before: DatedVote | None
    after: DatedVote | None


def dated_vote(vote: Vote, at: int) -> DatedVote:
    """Return a vote cast at so many seconds since 1970."""
    return DatedVote(vote, datetime.fromtimestamp(at, UTC).date())


@dataclass
class VoteSums:
    """What votes add to leaderboards, karma and likes given."""

    since: date = field(default_factory=lambda: earliest().date())
    points: Counter[BoardKey] = field(default_factory=Counter)
    karma: Counter[int] = field(default_factory=Counter)
    likes: Counter[int] = field(default_factory=Counter)
    liked: set[tuple[int, int]] = field(default_factory=set)
    """Person and post, of every vote on somebody else's post."""

    def people(self, change: Change, vote: DatedVote | None, sign: int, author: int) -> None:
        """Add (1) or remove (-1) a vote from what people give and receive."""
        if vote is not None:
            self.karma[author] += sign * int(vote.vote)
            self.likes[change.user_id] += sign * (vote.vote is Vote.UP)
            if not change.target.comment_id:
                self.liked.add((change.user_id, change.target.post_id))

    def boards(
        self, change: Change, vote: DatedVote | None, sign: int, author: int, scopes: Iterable[str]
    ) -> None:
        """Add (1) or remove (-1) a vote from the leaderboards of its day."""
        if vote is None or vote.day < self.since:
            return
        for scope in scopes:
            worth = sign * int(vote.vote)
            self.points[BoardKey(vote.day, scope, BoardKind.PERSON, author)] += worth
            if not change.target.comment_id:
                self.points[BoardKey(vote.day, scope, BoardKind.POST, change.target.post_id)] += (
                    worth
                )


def earliest() -> datetime:
    """Return the start of the earliest day whose leaderboards Redis has."""
    now = datetime.fromtimestamp(get_voting_service().now(), UTC)
    return now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(
        days=get_voting_service().boards.days_kept
    )
