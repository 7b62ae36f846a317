"""Groups as pages need them: their titles, remembered in this process."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock
from time import monotonic

from django.db import DatabaseError

from forum.models import Group

REMEMBERED = 2.0
"""Seconds after which a changed title is noticed."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What pages show of a group."""

    slug: str
    title: str
    description: str
    id: int


class Directory:
    """Every group by its slug, asked of SQL at most every two seconds, kept while SQL is away."""

    def __init__(self) -> None:
        self._topics: Mapping[str, Topic] = {}
        self._asked: float | None = None
        self._lock = Lock()

    def topics(self) -> Mapping[str, Topic]:
        """Return all groups in the order of their slugs. Usually no query, at most one."""
        if self._asked is None or monotonic() - self._asked > REMEMBERED:
            self._refresh()
        return self._topics

    def find(self, slug: str) -> Topic | None:
        """Return one group. A group that is not remembered is asked for at once."""
        found = self.topics().get(slug)
        if found is None:
            self._refresh()
            found = self._topics.get(slug)
        return found

    def forget(self) -> None:
        """Ask SQL again at the next use."""
        self._asked = None

    def _refresh(self) -> None:
        with self._lock:
            try:
                groups = Group.objects.order_by("slug")
                rows = groups.values_list("slug", "title", "description", "pk")
                self._topics = {row[0]: Topic(*row) for row in rows}
            except DatabaseError:
                if self._asked is None:
                    raise
            self._asked = monotonic()


directory = Directory()


def close_names(wanted: tuple[str, ...], topics: Mapping[str, Topic]) -> list[Topic]:
    """Return groups whose short names look like a wanted one, the closest first."""
    names = [name for slug in wanted for name in get_close_matches(slug.lower(), topics, 3, 0.5)]
    return [topics[name] for name in dict.fromkeys(names)]
