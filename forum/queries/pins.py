"""The pinned posts, cached in this process so that listings need no query for them."""

from dataclasses import dataclass
from time import time

from django.db.models import QuerySet

from forum.models import Pin
from forum.queries.process_cache import ProcessCache


@dataclass(frozen=True, slots=True)
class Pinned:
    """A post pinned on the front page or in a group."""

    post_id: int
    group: str
    """Short name of the group; "" for the front page."""
    until: float | None
    """When the pin ends, in seconds since 1970; None if the pin has no end."""


def _read() -> tuple[Pinned, ...]:
    """Return all pins, newest first."""
    rows = Pin.objects.filter(post__deleted_at=None).order_by("-created_at", "-pk")
    return tuple(
        Pinned(post_id, group or "", until.timestamp() if until else None)
        for post_id, group, until in rows.values_list("post_id", "group__slug", "until")
    )


pins = ProcessCache[tuple[Pinned, ...]](_read, ())
"""All pins of the site."""


def pinned_in(group: str | None) -> tuple[int, ...]:
    """Return the ids of the posts that are now pinned in a group.

    If `group` is None, return the posts pinned on the front page.
    """
    now = time()
    return tuple(
        pin.post_id
        for pin in pins.get()
        if pin.group == (group or "") and (pin.until is None or pin.until > now)
    )


def pins_of(post_id: int) -> QuerySet[Pin]:
    """Return the pins of a post, including expired ones."""
    return Pin.objects.filter(post_id=post_id).select_related("group").order_by("group__slug")
