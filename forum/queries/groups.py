"""Caches all groups of the site in this process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from zlib import crc32

from django.db import DatabaseError

from forum.models import Group, GroupAlias
from forum.models.group import Hue
from forum.queries.process_cache import ProcessCache

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
    chosen_hue: int | None = None
    """The colour that an admin chose."""

    @property
    def hue(self) -> int:
        """The number of the group's colour, from 0 to 11."""
        if self.chosen_hue is None:
            return crc32(self.slug.encode()) % len(Hue)
        return self.chosen_hue


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups by short name, and the old names of renamed and merged groups."""

    topics: Mapping[str, Topic]
    moved: Mapping[str, str]


class Directory:
    """All groups, cached in this process."""

    def __init__(self) -> None:
        self._groups = ProcessCache[Groups | None](_read, None)

    def topics(self) -> Mapping[str, Topic]:
        """Return all groups, ordered by title. Usually no query, three at most."""
        return self._known().topics

    def find(self, slug: str) -> Topic | None:
        """Return a group by its short name, or None.

        Usually no query, because groups are cached. For a name that isn't in the cache, four
        queries if SQL has the group, otherwise one.
        """
        found = self.topics().get(slug)
        if found is None and self._is_new(slug):
            self.forget()
            found = self.topics().get(slug)
        return found

    def labelled(self, slug: str) -> Topic:
        """Return a group for its label. Usually no query, three at most.

        A former name returns the group that has it now. If a group isn't in the cache, or SQL is
        unavailable, the title is the short name.
        """
        try:
            topic = self.topics().get(slug) or self.topics().get(self.current(slug))
        except DatabaseError:
            topic = None
        return topic or Topic(slug, slug, "", 0)

    def current(self, slug: str) -> str:
        """Return the current short name of a renamed or merged group.

        Returns any other name unchanged.
        """
        known = self._known()
        return slug if slug in known.topics else known.moved.get(slug, slug)

    def forget(self) -> None:
        """Drop the cached groups, so that the next use reads them from SQL."""
        self._groups.forget()

    def _known(self) -> Groups:
        """Return the cached groups. Raises DatabaseError if SQL could not be read yet."""
        return self._groups.get() or _read()

    def _is_new(self, slug: str) -> bool:
        try:
            return Group.objects.filter(slug=slug, merged_into=None).exists()
        except DatabaseError:
            return False


def _read() -> Groups:
    """Read all groups from SQL. Three queries."""
    rows = Group.objects.filter(merged_into=None).values_list(
        "slug", "title", "description", "pk", "closed", "hue"
    )
    topics = sorted((Topic(*row) for row in rows), key=lambda topic: topic.title.casefold())
    return Groups({topic.slug: topic for topic in topics}, _moved_names())


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
