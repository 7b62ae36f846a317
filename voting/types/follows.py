"""Follows, and data derived from follows: counts, feeds and suggestions."""

from dataclasses import dataclass
from enum import StrEnum


class FollowSide(StrEnum):
    """A person's two lists: the people whom the person follows, and the followers."""

    FOLLOWS = "follows"
    FOLLOWERS = "fans"


@dataclass(frozen=True, slots=True)
class Follow:
    """A person in a list of follows or followers, with the time of the follow (s since 1970)."""

    id: int
    at: float


@dataclass(frozen=True, slots=True)
class FollowPage:
    """Part of a list of follows or followers. The whole list has `total` people."""

    total: int
    follows: tuple[Follow, ...]


@dataclass(frozen=True, slots=True)
class GroupFollow:
    """A group that a person follows, with the time of the follow (s since 1970)."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class FollowCounts:
    """How many people and groups a person follows, and how many followers the person has."""

    follows: int
    groups: int
    followers: int
    followed: bool = False
    """Whether the viewer follows the person whose counts these are."""


@dataclass(frozen=True, slots=True)
class GroupRelation:
    """Whether a person follows or hides a group."""

    followed: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class ChosenGroups:
    """The names of the groups that a person follows, and of the groups that they hide."""

    followed: frozenset[str]
    hidden: frozenset[str]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested person to follow.

    `via` are the people whom the viewer follows and who follow the suggested person.
    """

    id: int
    via: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FeedSources:
    """The people (ids) and groups (names) whose posts may be in a feed."""

    people: tuple[int, ...]
    groups: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.people or self.groups)
