"""Leaderboards: posts and people by the points that they received."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple


class BoardKind(StrEnum):
    """Whether a leaderboard lists posts or people."""

    POST = "post"
    PERSON = "person"


class BoardKey(NamedTuple):
    """The key of a line in a leaderboard: UTC day, group ("" for the whole site), kind and id.

    A named tuple, because hashing and sorting dataclasses takes twice as long, and each vote needs
    several keys.
    """

    day: date
    group: str
    kind: BoardKind
    subject_id: int


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One line of a leaderboard. `points` are the votes of other people, up minus down."""

    subject_id: int
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a leaderboard. The whole leaderboard has `total` lines with more than 0 points."""

    lines: tuple[BoardLine, ...]
    total: int
    number: int
    size: int

    @property
    def first_rank(self) -> int:
        return (self.number - 1) * self.size + 1


@dataclass(frozen=True, slots=True)
class Leaderboards:
    """One page of the leaderboard of posts, and one of the leaderboard of people."""

    posts: Board
    people: Board
