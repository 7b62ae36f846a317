"""The words of upkeep: what the ledger keeps, and what is found by looking inside."""

from dataclasses import dataclass

from voting.types import Target, Vote


def in_order(entry_id: str) -> tuple[int, int]:
    """Return what a shard's entries are ordered by."""
    milliseconds, sequence = entry_id.split("-")
    return int(milliseconds), int(sequence)


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted change of a vote, as the ledger keeps it."""

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
class Inspected:
    """Everything Redis holds of a post, as `check_voting` compares it with the archive."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """People who voted up; empty once the voter set has expired."""
    downs: frozenset[int]
    hot: float | None
    """Score in the site's `hot`; None where the post is not in it."""
    misplaced: tuple[str, ...]
    """Rankings in which the post does not have the score that its votes and time make."""
    groups: frozenset[str]
    """Groups that it says it is in, and that hold it."""
    last: str
    """Ledger id of the last vote; the same twice means that nobody voted between two looks."""
    card: str
    gone: bool
    version: int
    """What it was last told to be: grows with each edit, and with each comment."""
