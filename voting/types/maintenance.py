"""Maintenance: entries of the ledger, and all data that Redis stores about a post or comment."""

from dataclasses import dataclass

from voting.types import Target, Vote


def in_order(entry_id: str) -> tuple[int, int]:
    """Return a sort key made of an entry's id: sorting by it puts a shard's entries in ledger
    order.
    """
    milliseconds, sequence = entry_id.split("-")
    return int(milliseconds), int(sequence)


@dataclass(frozen=True, slots=True)
class VoteEntry:
    """An entry of the ledger: one accepted vote that changed a person's vote on a target."""

    id: str
    shard: int
    user_id: int
    target: Target
    vote: Vote
    at: int
    """When the vote was accepted (seconds since 1970)."""
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class InspectedPost:
    """All data that Redis stores about a post, for a comparison with SQL."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """Ids of people who voted up; empty after the voter set has expired."""
    downs: frozenset[int]
    hot: float | None
    """The post's score in the site's ranking `hot`; None if the post is not in that ranking."""
    misplaced: tuple[str, ...]
    """Rankings (or the author's list of posts) where the post is missing or has a wrong score."""
    groups: frozenset[str]
    """Groups that are in the post's row and also have the post in their own set."""
    last: str
    """Ledger id of the last vote. If two inspections find the same id, nobody voted in between."""
    card: str
    retracted: bool
    version: int
    """The last synced version of the post. The version grows with each edit and each comment."""


@dataclass(frozen=True, slots=True)
class InspectedComment:
    """All data that Redis stores about a comment, for a comparison with SQL."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """Ids of people who voted up; empty after the voter set has expired."""
    downs: frozenset[int]
    last: str
    """Ledger id of the last vote. If two inspections find the same id, nobody voted in between."""
    answer: bool
    retracted: bool
    version: int
