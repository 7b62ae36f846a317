"""What the parts of the demo content are written into: its people, groups and posts, and a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from forum.models import Group, Post, User


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is written already, by the names the content gives it."""

    now: int
    """Seconds since 1970; nothing happens after it."""
    people: Mapping[str, User]
    groups: Mapping[str, Group]
    posts: Mapping[str, Post]

    def joined(self, name: str) -> int:
        """Return when somebody joined, in seconds since 1970."""
        return int(self.people[name].date_joined.timestamp())

    def here(self, at: int) -> list[int]:
        """Return the ids of those who had joined by then."""
        return [user.pk for user in self.people.values() if user.date_joined.timestamp() <= at]


def chance(*key: object) -> Random:
    """Return a source of numbers that are the same for a key on any machine."""
    return Random(" ".join(map(str, key)))  # noqa: S311 - nobody gains from guessing them


def moment(at: float) -> datetime:
    """Return a time given in seconds since 1970."""
    return datetime.fromtimestamp(at, UTC)
