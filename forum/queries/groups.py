"""All groups, cached in this process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock
from time import monotonic

from django.db import DatabaseError

from forum.models import Group, GroupAlias

REMEMBERED = 2.0
"""Seconds until another process's change shows."""
FEW = 200
"""With more groups, only names with the same first letter are compared for suggestions."""
SHORT = 2
"""Shorter names are only compared as prefixes."""
CLOSE = 3
"""Most suggestions for an unknown name."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A group as pages show it."""

    slug: str
    title: str
    description: str
    id: int
    closed: bool = False
    """Whether it takes no new posts."""


class Directory:
    """All groups by slug, read from SQL every two seconds at most, and kept while SQL is down.

    While one thread reads them, others use the old ones.
    """

    def __init__(self) -> None:
        self._topics: Mapping[str, Topic] = {}
        self._moved: Mapping[str, str] = {}
        self._asked: float | None = None
        self._lock = Lock()

    def topics(self) -> Mapping[str, Topic]:
        """Return all groups in the order of their titles. Usually no query, at most one."""
        if self._asked is None or monotonic() - self._asked > REMEMBERED:
            self._refresh(wait=self._asked is None)
        return self._topics

    def find(self, slug: str) -> Topic | None:
        """Return a group. One that is not cached is read alone: three queries at most."""
        found = self.topics().get(slug)
        if found is None and self._is_new(slug):
            self._refresh()
            found = self._topics.get(slug)
        return found

    def current(self, slug: str) -> str:
        """Return the current short name of a renamed or merged group, or else the same name."""
        return slug if slug in self.topics() else self._moved.get(slug, slug)

    def forget(self) -> None:
        """Read the groups again at the next use."""
        self._asked = None

    def _is_new(self, slug: str) -> bool:
        try:
            return Group.objects.filter(slug=slug, merged_into=None).exists()
        except DatabaseError:
            return False

    def _refresh(self, *, wait: bool = True) -> None:
        """Read the groups. If another thread is doing so, `wait` for it or return."""
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
    """Return the current names of groups by their former ones. Two queries."""
    merging = Group.objects.exclude(merged_into=None)
    into = dict(merging.values_list("slug", "merged_into__slug"))
    names = {**dict(GroupAlias.objects.values_list("slug", "group__slug")), **into}
    return {name: _last(present, into) for name, present in names.items()}


def _last(name: str, into: Mapping[str, str]) -> str:
    """Follow a chain of merges to the last group."""
    while name in into:
        name = into[name]
    return name


directory = Directory()


def close_names(wanted: tuple[str, ...], topics: Mapping[str, Topic]) -> list[Topic]:
    """Return groups with similar short names, the closest first."""
    close = dict.fromkeys(name for slug in wanted for name in _close_to(slug.lower(), topics))
    return [topics[name] for name in close]


def _close_to(wanted: str, names: Iterable[str]) -> list[str]:
    names = list(names)
    if len(wanted) <= SHORT:
        return [name for name in names if wanted and name.startswith(wanted)][:CLOSE]
    if len(names) > FEW:
        names = [name for name in names if name[0] == wanted[:1]]
    return get_close_matches(wanted, names, CLOSE, 0.5)
