"""The words of leaderboards."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """Who stands on a board."""

    POST = "post"
    PERSON = "person"


class Spot(NamedTuple):
    """Where points stand: on a UTC day, of a group ("" for the whole site), for whom.

    Several are counted and sorted for each vote, which takes a dataclass twice as long.
    """

    day: date
    group: str
    kind: Kind
    subject_id: int


@dataclass(frozen=True, slots=True)
class Placing:
    """One line of a board. `points` are votes from others, up minus down."""

    subject_id: int
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a board; only who has more than 0 points is on it, `total` of them in all."""

    placings: tuple[Placing, ...]
    total: int
    number: int
    size: int

    @property
    def first_rank(self) -> int:
        return (self.number - 1) * self.size + 1


@dataclass(frozen=True, slots=True)
class Leaders:
    """The same page of both boards of a day or week."""

    posts: Board
    people: Board
