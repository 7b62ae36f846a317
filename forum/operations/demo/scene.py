"""The people, groups and posts of the demo content, once they are written, and the current time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from forum.models import Group, Post, User


@dataclass(frozen=True, slots=True)
class Scene:
    """What is written already, by its name in the content."""

    now: int
    """Seconds since 1970; nothing happens later."""
    people: Mapping[str, User]
    groups: Mapping[str, Group]
    posts: Mapping[str, Post]

    def joined(self, name: str) -> int:
        """Return when a person joined, in seconds since 1970."""
        return int(self.people[name].date_joined.timestamp())

    def here(self, at: int) -> list[int]:
        """Return the ids of the people who had joined by then."""
        return [user.pk for user in self.people.values() if user.date_joined.timestamp() <= at]


def chance(*key: object) -> Random:
    """Return a random generator that gives the same numbers for a key on any machine."""
    return Random(" ".join(map(str, key)))  # noqa: S311 - nobody gains from guessing them


def moment(at: float) -> datetime:
    """Return a time given in seconds since 1970."""
    return datetime.fromtimestamp(at, UTC)
