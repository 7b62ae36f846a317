"""Types used by maintenance: ledger entries, and all data in Redis about a post or comment."""

from collections.abc import Mapping
from dataclasses import dataclass

from voting.types import Target, Vote


def in_order(entry_id: str) -> tuple[int, int]:
    """Convert the id of a ledger entry to a sort key.

    Sorting by this key puts the entries of one shard in order, oldest first.
    """
    milliseconds, sequence = entry_id.split("-")
    return int(milliseconds), int(sequence)


@dataclass(frozen=True, slots=True)
class VoteEntry:
    """An entry of the ledger: a changed vote.

    Contains the person's new vote, and the tally of the post or comment after that vote.
    """

    id: str
    shard: int
    user_id: int
    target: Target
    vote: Vote
    at: int
    """When the vote was accepted (seconds since 1970)."""
    up: int
    down: int
    counts_at: int | None = None
    """If the vote doesn't count: when it will (s since 1970), or `VOID`."""


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
    """Names of the rankings where the post is missing or has a wrong score.

    May include the author's list of posts.
    """
    groups: frozenset[str]
    """Those groups in the post's row whose set of posts in Redis has the post."""
    last: str
    """Ledger id of the last vote. The id changes with every vote."""
    card: str
    retracted: bool
    version: int
    """The last synced version of the post."""
    starting_points: int
    uncounted: Mapping[int, int]
    """Voters whose votes don't count -> when they will (s since 1970); `VOID` for void votes."""


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
    """Ledger id of the last vote. The id changes with every vote."""
    answer: bool
    retracted: bool
    version: int
    uncounted: Mapping[int, int]
    """Voters whose votes don't count -> when they will (s since 1970); `VOID` for void votes."""
