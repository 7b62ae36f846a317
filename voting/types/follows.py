"""The words of following: who follows whom, since when, and what follows from it."""

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """The two ends of following, each a list of people by time."""

    FOLLOWS = "follows"
    FANS = "fans"


@dataclass(frozen=True, slots=True)
class Bond:
    """Somebody in a list, and since when (seconds since 1970)."""

    id: int
    at: float


@dataclass(frozen=True, slots=True)
class Bonds:
    """A part of a list, the newest first; `total` people are in all of it."""

    total: int
    bonds: tuple[Bond, ...]


@dataclass(frozen=True, slots=True)
class GroupBond:
    """A group that a person follows, and since when (seconds since 1970)."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class Ties:
    """How many people and groups a person follows and how many follow that person."""

    follows: int
    groups: int
    fans: int
    followed: bool = False
    """Whether the one who looks is among the fans."""


@dataclass(frozen=True, slots=True)
class GroupTies:
    """What a person makes of a group."""

    followed: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """The short names of the groups that a person follows, and of those they hide."""

    followed: frozenset[str]
    hidden: frozenset[str]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A person worth following: `through` are those I follow who follow that person."""

    id: int
    through: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Whose posts a feed is made of: ids of people and names of groups."""

    people: tuple[int, ...]
    groups: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.people or self.groups)
