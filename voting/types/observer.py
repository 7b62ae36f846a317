"""The hook through which a caller measures voting: subclass `Observer` and pass it to `connect`."""

from enum import StrEnum


class VoteOutcome(StrEnum):
    """The outcome of a vote."""

    COUNTED = "counted"
    UNCHANGED = "unchanged"
    CLOSED = "closed"
    UNKNOWN = "unknown"
    LIMITED = "too_fast"
    UNAVAILABLE = "unavailable"


class Observer:
    """Is called after every vote and every round trip of scripts. By default it does nothing."""

    def vote(self, outcome: VoteOutcome) -> None:
        """Learn what happened to a vote."""

    def round_trip(self, name: str, seconds: float, *, failed: bool) -> None:
        """Learn how long a round trip took; `name` is its first script or command."""

    def breaker(self, *, is_open: bool) -> None:
        """Learn that the breaker may have opened or closed."""
