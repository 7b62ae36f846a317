"""The words of a person's own lists of posts."""

from dataclasses import dataclass
from enum import StrEnum


class Kept(StrEnum):
    """Which list of posts, each by time."""

    SAVED = "saved"
    HIDDEN = "hidden"
    LIKED = "liked"
    VIEWED = "viewed"


VIEWED_KEPT = 60
"""Posts of `VIEWED` that are kept of a person, the newest."""
LIKED_KEPT = 200
"""Posts of `LIKED` that Redis keeps of a person, the newest; the archive has them all."""


@dataclass(frozen=True, slots=True)
class Item:
    """A post in a list, and when it came there (seconds since 1970)."""

    post_id: int
    at: float


@dataclass(frozen=True, slots=True)
class Items:
    """A part of a list, the newest first; `total` posts are in all of it."""

    total: int
    items: tuple[Item, ...]
