"""The demo's people, groups and posts after they were saved in SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from forum.models import Group, Post, User


@dataclass(frozen=True, slots=True)
class Scene:
    """The demo's people, groups and posts, as saved in SQL.

    The keys are user names, slugs of groups, and the keys of posts in the demo content.
    """

    now: int
    """The time of loading in seconds since 1970. Nothing in the demo content is later."""
    people: Mapping[str, User]
    groups: Mapping[str, Group]
    posts: Mapping[str, Post]

    def joined(self, name: str) -> int:
        """Return when a person joined, in seconds since 1970."""
        return int(self.people[name].date_joined.timestamp())

    def here(self, at: int) -> list[int]:
        """Return the ids of the people who had joined by the time `at`, in seconds since 1970."""
        return [user.pk for user in self.people.values() if user.date_joined.timestamp() <= at]


def chance(*key: object) -> Random:
    """Return a random generator that gives the same numbers for the same key on every machine."""
    return Random(" ".join(map(str, key)))  # noqa: S311 - nobody gains from guessing them


def moment(at: float) -> datetime:
    """Convert seconds since 1970 to a datetime."""
    return datetime.fromtimestamp(at, UTC)
