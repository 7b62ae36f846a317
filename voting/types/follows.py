"""Follows, and what is derived from them: counts, feeds and suggestions."""

from dataclasses import dataclass
from enum import StrEnum


class FollowSide(StrEnum):
    """A person's two lists of people: those they follow, and those who follow them."""

    FOLLOWS = "follows"
    FOLLOWERS = "fans"


@dataclass(frozen=True, slots=True)
class Follow:
    """A person in a list of follows or followers, and since when (seconds since 1970)."""

    id: int
    at: float


@dataclass(frozen=True, slots=True)
class FollowPage:
    """Part of a list of follows or followers; the whole list has `total` people."""

    total: int
    follows: tuple[Follow, ...]


@dataclass(frozen=True, slots=True)
class GroupFollow:
    """A group that a person follows, and since when (seconds since 1970)."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class FollowCounts:
    """How many people and groups a person follows, and how many followers that person has."""

    follows: int
    groups: int
    followers: int
    followed: bool = False
    """Whether the viewer follows that person."""


@dataclass(frozen=True, slots=True)
class GroupRelation:
    """Whether a person follows or hides a group."""

    followed: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """The short names of the groups that a person follows, and of those they hide."""

    followed: frozenset[str]
    hidden: frozenset[str]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested person to follow. `via` are the people who follow that person, among those whom
    the viewer follows.
    """

    id: int
    via: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FeedSources:
    """The people (ids) and groups (names) that a feed is made of."""

    people: tuple[int, ...]
    groups: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.people or self.groups)
