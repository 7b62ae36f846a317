"""A hook for measuring voting: pass an instance of an `Observer` subclass to `connect`."""

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
    """Receives a call after every vote and round trip. This base class does nothing."""

    def vote(self, outcome: VoteOutcome) -> None:
        """Called after each vote, with the outcome of the vote."""

    def round_trip(self, name: str, seconds: float, *, failed: bool) -> None:
        """Called after each round trip. `name` is the first script or command that was sent."""

    def breaker(self, *, is_open: bool) -> None:
        """Called when the circuit breaker may have opened or closed; `is_open` is its state now."""
