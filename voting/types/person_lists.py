"""A person's lists of posts."""

from dataclasses import dataclass
from enum import StrEnum


class PersonList(StrEnum):
    """The lists of posts that each person has; all are read newest first."""

    SAVED = "saved"
    HIDDEN = "hidden"
    LIKED = "liked"
    VIEWED = "viewed"


MAX_VIEWED = 60
"""Most posts in `VIEWED`, which has the newest."""
MAX_LIKED = 200
"""Most posts in `LIKED`, which has the newest; SQL has all of them."""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A post in a list, and when it was added (seconds since 1970)."""

    post_id: int
    at: float


@dataclass(frozen=True, slots=True)
class ListPage:
    """Part of a list of posts, newest first; the whole list has `total` posts."""

    total: int
    entries: tuple[ListEntry, ...]
