"""Maintenance: entries of the ledger, and everything that Redis stores of a post or comment."""

from dataclasses import dataclass

from voting.types import Target, Vote


def in_order(entry_id: str) -> tuple[int, int]:
    """Return the key by which the entries of a shard are sorted."""
    milliseconds, sequence = entry_id.split("-")
    return int(milliseconds), int(sequence)


@dataclass(frozen=True, slots=True)
class VoteEntry:
    """One accepted change of a vote."""

    id: str
    shard: int
    user_id: int
    target: Target
    vote: Vote
    at: int
    """Seconds since 1970."""
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class InspectedPost:
    """Everything that Redis stores of a post, to be compared with SQL."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """People who voted up; empty once the voter set has expired."""
    downs: frozenset[int]
    hot: float | None
    """Score in the site's `hot`; None if the post is not in it."""
    misplaced: tuple[str, ...]
    """Rankings in which the post's score doesn't match its votes and time."""
    groups: frozenset[str]
    """Groups that the post names and that have it."""
    last: str
    """Ledger id of the last vote; if it is the same twice, nobody voted in between."""
    card: str
    gone: bool
    version: int
    """The version that was last synced: grows with each edit and each comment."""


@dataclass(frozen=True, slots=True)
class InspectedComment:
    """Everything that Redis stores of a comment, to be compared with SQL."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """People who voted up; empty once the voter set has expired."""
    downs: frozenset[int]
    last: str
    """Ledger id of the last vote; if it is the same twice, nobody voted in between."""
    answer: bool
    gone: bool
    version: int
