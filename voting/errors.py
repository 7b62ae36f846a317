"""The errors that voting raises."""

from voting.types import Ballot, Target
from voting.types.limits import VoteRule


class VotingError(Exception):
    """Base class of voting's own errors."""


class VotingClosed(VotingError):
    """Voting on a post or comment has closed.

    `ballot` contains the person's final vote and the final tally.
    """

    def __init__(self, ballot: Ballot) -> None:
        super().__init__(f"voting closed at {ballot.closes_at}")
        self.ballot = ballot


class UnknownTarget(VotingError):
    """The post or comment `target` doesn't exist or was retracted."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.target = target


class InvalidMix(VotingError, ValueError):
    """An expression that combines groups, like `a+b`, is invalid or contains too many groups."""


class StoreUnavailable(VotingError):
    """Redis is down, refuses writes, or has not been filled with the site's data yet."""


class StoreEmpty(StoreUnavailable):
    """Redis answers, but has not been filled with the site's data. A rebuild is needed."""


class StoreForbidden(StoreUnavailable):
    """Redis answers, but the site's Redis account may not run this command."""


class Throttled(VotingError):
    """A rate limit is exceeded, or the same text was sent again (then `repeated` is true)."""

    def __init__(self, retry_after_seconds: int, *, repeated: bool = False) -> None:
        super().__init__(f"try again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds
        self.repeated = repeated


class TooManyVotes(Throttled):
    """A limit of votes in 24 hours is reached, which `rule` names."""

    def __init__(self, retry_after_seconds: int, rule: VoteRule) -> None:
        super().__init__(retry_after_seconds)
        self.rule = rule


class EmbeddedError(VotingError):
    """The embedded server can't be started. The person at the terminal sees the message."""


class DamagedFilesError(EmbeddedError):
    """The embedded server can't read its append-only files."""
