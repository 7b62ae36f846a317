"""The words of pages about people."""

from dataclasses import dataclass

from voting.types import Row
from voting.types.counters import PersonCounts
from voting.types.follows import Ties


@dataclass(frozen=True, slots=True)
class Sight:
    """A person as one reader sees them, and posts on their page as that reader sees these."""

    counts: PersonCounts | None
    """None where nobody has counted yet."""
    ties: Ties
    rows: tuple[Row, ...]
    unread: int | None
    """Unread items in the reader's inbox; None where nobody looks."""
    common: tuple[int, ...]
    """Whom both follow."""
