"""Reads the moderators of a group: the public list, and the names on the group's page."""

from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings

from forum.models import GroupModerator
from forum.queries.process_cache import ProcessCache

SHOWN = 5
"""The most names that the page of a group shows."""
CACHED = 1_000
"""The most groups whose moderators' names a process caches."""


@dataclass(frozen=True, slots=True)
class ModeratorPage:
    """A page of a group's moderators, in the order in which they became moderators.

    The next page starts after the id `after`, which is None if this is the last page.
    """

    moderators: tuple[GroupModerator, ...]
    after: int | None


@dataclass(frozen=True, slots=True)
class ModeratorNames:
    """The names of a group's moderators, for the group's page."""

    names: tuple[str, ...] = ()
    more: bool = False
    """Whether the group has more moderators than `names` lists."""


def page(group_id: int, after: int = 0) -> ModeratorPage:
    """Return a page of a group's moderators: those with ids above `after`. One query."""
    size = settings.PAGE_SIZE
    rows = GroupModerator.objects.filter(group=group_id, pk__gt=after).select_related("user")
    found = tuple(rows.order_by("pk")[: size + 1])
    return ModeratorPage(found[:size], found[size - 1].pk if len(found) > size else None)


def names(group_id: int) -> ModeratorNames:
    """Return the names of a group's moderators. At most one query every two seconds."""
    return _remembered(group_id).get()


def forget(group_id: int) -> None:
    """Drop the cached names of a group's moderators. Call this after the change is committed."""
    _remembered(group_id).forget()


def forget_all() -> None:
    """Drop the cached names of all groups' moderators."""
    _remembered.cache_clear()


@lru_cache(maxsize=CACHED)
def _remembered(group_id: int) -> ProcessCache[ModeratorNames]:
    return ProcessCache(lambda: _read(group_id), ModeratorNames())


def _read(group_id: int) -> ModeratorNames:
    rows = GroupModerator.objects.filter(group=group_id, user__is_active=True).order_by("pk")
    found = tuple(rows.values_list("user__username", flat=True)[: SHOWN + 1])
    return ModeratorNames(found[:SHOWN], len(found) > SHOWN)
