"""A person's lists of posts."""

from dataclasses import dataclass
from enum import StrEnum


class PersonList(StrEnum):
    """The lists of posts that each person has. All lists are read newest first."""

    SAVED = "saved"
    HIDDEN = "hidden"
    LIKED = "liked"
    VIEWED = "viewed"


MAX_VIEWED = 60
"""The most posts in `VIEWED`: those that the person opened last."""
MAX_LIKED = 200
"""The most posts in `LIKED`: those that the person voted up last."""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A post in a list, with the time when the post was added (s since 1970)."""

    post_id: int
    at: float


@dataclass(frozen=True, slots=True)
class ListPage:
    """Part of a list of posts, newest first. The whole list has `total` posts."""

    total: int
    entries: tuple[ListEntry, ...]
