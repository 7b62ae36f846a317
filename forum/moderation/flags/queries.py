"""Reads the flags that a person has written, newest first."""

from dataclasses import dataclass

from forum.models import Flag
from forum.queries.keyset import newest_below


@dataclass(frozen=True, slots=True)
class FlagsPage:
    """A page of flags. The next page has ids below `before`, which is None on the last page."""

    flags: tuple[Flag, ...]
    before: int | None


def page(user_id: int, before: int | None = None) -> FlagsPage:
    """Return a page of the flags that a person wrote, with ids below `before`."""
    flags = Flag.objects.filter(user_id=user_id).select_related(
        "item__post", "item__comment__post", "item__comment__author", "item__person"
    )
    return FlagsPage(*newest_below(flags, before))
