"""The errors that voting raises."""

from voting.types import Ballot, Target


class VotingError(Exception):
    """Base class of all errors that voting raises on purpose."""


class VotingClosed(VotingError):
    """Voting on the target has closed; `ballot` has the person's final vote and the tally."""

    def __init__(self, ballot: Ballot) -> None:
        super().__init__(f"voting closed at {ballot.closes_at}")
        self.ballot = ballot


class UnknownTarget(VotingError):
    """The post or comment `target` doesn't exist or was retracted."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.target = target


class InvalidMix(VotingError, ValueError):
    """An expression like `a+b` doesn't name a mix of groups, or has more groups than a mix may
    have.
    """


class StoreUnavailable(VotingError):
    """Redis is down, refuses writes, or has not been filled yet."""


class StoreEmpty(StoreUnavailable):
    """Redis answers, but has no generation (the mark of a filled store). A rebuild is needed."""


class StoreForbidden(StoreUnavailable):
    """Redis answers, but the Redis account of the site has no permission for this command."""


class Throttled(VotingError):
    """A rate limit is exceeded; or, if `repeated` is true, the same text was sent before."""

    def __init__(self, retry_after_seconds: int, *, repeated: bool = False) -> None:
        super().__init__(f"try again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds
        self.repeated = repeated


class EmbeddedError(VotingError):
    """The embedded server can't be started. The message is shown to the person at the terminal."""


class DamagedFilesError(EmbeddedError):
    """The embedded server can't read its append-only file."""
