"""What can go wrong behind the door, each said once in the words of the domain."""

from voting.types import Ballot, Target


class VotingError(Exception):
    """The root of every error that voting raises on purpose."""


class VotingClosed(VotingError):
    """The window of the target is over; `ballot` tells the vote that stands."""

    def __init__(self, ballot: Ballot) -> None:
        super().__init__(f"voting closed at {ballot.closes_at}")
        self.ballot = ballot


class UnknownTarget(VotingError):
    """No such post or comment is open to readers; `target` tells which was meant."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.target = target


class BadMix(VotingError, ValueError):
    """The combination of groups can't be read, or is too long."""


class StoreUnavailable(VotingError):
    """Redis does not answer, refuses to write, or has not been filled from the archive yet."""


class StoreEmpty(StoreUnavailable):
    """Redis answers but a generation is missing: it must be rebuilt before anyone may use it."""


class Forbidden(StoreUnavailable):
    """Redis answers, but does not let our account do this."""


class Throttled(VotingError):
    """A rate limit is reached, or the same text was sent before (`repeated`)."""

    def __init__(self, retry_after_seconds: int, *, repeated: bool = False) -> None:
        super().__init__(f"try again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds
        self.repeated = repeated


class EmbeddedError(VotingError):
    """The embedded server can't be started; the text is for the person at the terminal."""


class DamagedFilesError(EmbeddedError):
    """The embedded server can't read its append-only file."""
