"""A person's own flags, newest first."""

from dataclasses import dataclass

from django.conf import settings

from forum.models import Flag


@dataclass(frozen=True, slots=True)
class FlagsPage:
    """A page of flags. The next page starts below the id `before`; None on the last page."""

    flags: tuple[Flag, ...]
    before: int | None


def page(user_id: int, before: int | None = None) -> FlagsPage:
    """Return a page of a person's flags, older than `before`. One query, by index."""
    size = settings.PAGE_SIZE
    flags = Flag.objects.filter(user_id=user_id).select_related(
        "item__post", "item__comment__post", "item__comment__author", "item__person"
    )
    if before is not None:
        flags = flags.filter(pk__lt=before)
    found = tuple(flags.order_by("-pk")[: size + 1])
    return FlagsPage(found[:size], found[size - 1].pk if len(found) > size else None)
