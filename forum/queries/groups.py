"""Caches all groups of the site in this process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock
from time import monotonic

from django.db import DatabaseError

from forum.models import Group, GroupAlias

REMEMBERED = 2.0
"""For how many seconds this process uses the cached groups before it reads them from SQL again."""
FEW = 200
"""The most groups that are all compared with a misspelled name. On larger sites, only groups with
the same first letter are compared.
"""
SHORT = 2
"""For a misspelled name of at most this length, only groups whose names begin with the misspelled
name are suggested.
"""
CLOSE = 3
"""The most groups suggested for a misspelled name."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The data about a group that pages show."""

    slug: str
    title: str
    description: str
    id: int
    closed: bool = False
    """Whether the group accepts no new posts."""


class Directory:
    """All groups by short name, read from SQL at most every two seconds.

    The cached groups stay in use while SQL is down, or while another thread reads the groups.
    """

    def __init__(self) -> None:
        self._topics: Mapping[str, Topic] = {}
        self._moved: Mapping[str, str] = {}
        self._asked: float | None = None
        self._lock = Lock()

    def topics(self) -> Mapping[str, Topic]:
        """Return all groups, ordered by title. Usually no query, three at most."""
        if self._asked is None or monotonic() - self._asked > REMEMBERED:
            self._refresh(wait=self._asked is None)
        return self._topics

    def find(self, slug: str) -> Topic | None:
        """Return a group by its short name, or None.

        Usually no query, because groups are cached. For a name that isn't in the cache, four
        queries if SQL has the group, otherwise one.
        """
        found = self.topics().get(slug)
        if found is None and self._is_new(slug):
            self._refresh()
            found = self._topics.get(slug)
        return found

    def current(self, slug: str) -> str:
        """Return the current short name of a renamed or merged group.

        Returns any other name unchanged.
        """
        return slug if slug in self.topics() else self._moved.get(slug, slug)

    def forget(self) -> None:
        """Drop the cached groups, so that the next use reads them from SQL."""
        self._asked = None

    def _is_new(self, slug: str) -> bool:
        try:
            return Group.objects.filter(slug=slug, merged_into=None).exists()
        except DatabaseError:
            return False

    def _refresh(self, *, wait: bool = True) -> None:
        """Read all groups from SQL.

        Without `wait`, returns at once if another thread is already reading the groups.
        """
        if self._lock.acquire(blocking=wait):
            try:
                self._ask()
            finally:
                self._lock.release()

    def _ask(self) -> None:
        try:
            groups = Group.objects.filter(merged_into=None)
            rows = groups.values_list("slug", "title", "description", "pk", "closed")
            found = sorted((Topic(*row) for row in rows), key=lambda one: one.title.casefold())
            self._topics = {one.slug: one for one in found}
            self._moved = _moved_names()
        except DatabaseError:
            if self._asked is None:
                raise
        self._asked = monotonic()


def _moved_names() -> dict[str, str]:
    """Map the old names of renamed and merged groups to their current names. Two queries."""
    merging = Group.objects.exclude(merged_into=None)
    into = dict(merging.values_list("slug", "merged_into__slug"))
    names = {**dict(GroupAlias.objects.values_list("slug", "group__slug")), **into}
    return {name: _last(present, into) for name, present in names.items()}


def _last(name: str, into: Mapping[str, str]) -> str:
    """Follow merges of groups from the group `name`, and return the last group's short name."""
    while name in into:
        name = into[name]
    return name


directory = Directory()


def close_names(unknown: tuple[str, ...], topics: Mapping[str, Topic]) -> list[Topic]:
    """Return the groups whose short names are most similar to unknown names, best match first."""
    close = dict.fromkeys(name for slug in unknown for name in _close_to(slug.lower(), topics))
    return [topics[name] for name in close]


def _close_to(slug: str, names: Iterable[str]) -> list[str]:
    names = list(names)
    if len(slug) <= SHORT:
        return [name for name in names if slug and name.startswith(slug)][:CLOSE]
    if len(names) > FEW:
        names = [name for name in names if name[0] == slug[:1]]
    return get_close_matches(slug, names, CLOSE, 0.5)
