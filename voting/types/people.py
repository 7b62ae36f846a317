"""The words of pages about people."""

from collections.abc import Mapping
from dataclasses import dataclass

from voting.types import Row
from voting.types.comments import Tally
from voting.types.counters import PersonCounts
from voting.types.follows import Ties


@dataclass(frozen=True, slots=True)
class Sight:
    """A person as one reader sees them, and posts on their page as that reader sees these."""

    counts: PersonCounts | None
    """None where nobody has counted yet."""
    ties: Ties
    rows: tuple[Row, ...]
    tallies: Mapping[int, Tally]
    """How comments on the page stand, by id."""
    unread: int | None
    """Unread items in the reader's inbox; None where nobody looks."""
    common: tuple[int, ...]
    """Whom both follow."""
