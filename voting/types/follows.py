"""Follows, and what is derived from them."""

from dataclasses import dataclass
from enum import StrEnum


class FollowSide(StrEnum):
    """The two ends of a follow; each is a list of people, newest first."""

    FOLLOWS = "follows"
    FOLLOWERS = "fans"


@dataclass(frozen=True, slots=True)
class Follow:
    """A person in such a list, and since when (seconds since 1970)."""

    id: int
    at: float


@dataclass(frozen=True, slots=True)
class FollowPage:
    """Part of such a list, which has `total` people."""

    total: int
    follows: tuple[Follow, ...]


@dataclass(frozen=True, slots=True)
class GroupFollow:
    """A group that a person follows, and since when (seconds since 1970)."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class FollowCounts:
    """How many people and groups a person follows, and how many follow that person."""

    follows: int
    groups: int
    followers: int
    followed: bool = False
    """Whether the viewer is one of the followers."""


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
    """A person to follow; `via` are the people one follows who follow that person."""

    id: int
    via: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FeedSources:
    """What a feed is made of: ids of people and names of groups."""

    people: tuple[int, ...]
    groups: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.people or self.groups)
