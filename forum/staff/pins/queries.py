"""Which posts are pinned where, remembered in this process: a listing asks SQL for none of it."""

from dataclasses import dataclass
from time import time

from django.db.models import QuerySet

from forum.models import Pin
from forum.queries.process_cache import Remembered


@dataclass(frozen=True, slots=True)
class Pinned:
    """A pinned post."""

    post_id: int
    group: str
    """The group's short name; "" for the site."""
    until: float | None
    """When the pin ends (s since 1970); None: when somebody unpins the post."""


def _read() -> tuple[Pinned, ...]:
    """Return all pins, the newest first. One query."""
    rows = Pin.objects.filter(post__deleted_at=None).order_by("-created_at", "-pk")
    return tuple(
        Pinned(post_id, group or "", until.timestamp() if until else None)
        for post_id, group, until in rows.values_list("post_id", "group__slug", "until")
    )


pins = Remembered[tuple[Pinned, ...]](_read, ())
"""All pins; at most one query every two seconds."""


def pinned_in(group: str | None) -> tuple[int, ...]:
    """Return the posts pinned in a group now, or to the site. Usually no query."""
    now = time()
    return tuple(
        pin.post_id
        for pin in pins.get()
        if pin.group == (group or "") and (pin.until is None or pin.until > now)
    )


def pins_of(post_id: int) -> QuerySet[Pin]:
    """Return the pins of a post, including expired ones."""
    return Pin.objects.filter(post_id=post_id).select_related("group").order_by("group__slug")
