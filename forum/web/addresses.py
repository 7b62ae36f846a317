"""The addresses of listings: what a query string asks for, and the links between pages."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.urls import reverse

from voting.types import Cursor, Direction, Order

LAST_PAGE = 1_000_000
"""No listing has more pages than this."""
HIGHEST = 2**53
"""Nothing that pages go on below has a greater id; Redis counts exactly up to it."""
CURSOR = re.compile(r"(-?[0-9]{1,17}(?:\.[0-9]{1,17})?)_([0-9]{1,10})", re.ASCII)
"""How an address spells a cursor: a score, and the id of the post that had it."""
SPANS = {
    "day": Order.TOP_DAY,
    "week": Order.TOP_WEEK,
    "month": Order.TOP_MONTH,
    "all": Order.TOP_ALL,
}
FAMILIES = {
    "hot": Order.HOT,
    "new": Order.NEW,
    "active": Order.ACTIVE,
    "top": Order.TOP_DAY,
    "views": Order.VIEWS,
}
"""The orders that have an address, each with what it shows first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The listing an address asks for. `base` is the address of its first page.

    `family` is the order's part of the address; "" for a listing that is only by time.
    """

    base: str
    family: str
    order: Order
    direction: Direction = Direction.DESC
    number: int = 1
    cursor: Cursor | None = None
    """Where the page before ended: this one goes on there, whatever came or went meanwhile."""

    @property
    def path(self) -> str:
        """The address without its query string."""
        return self.base if self.family in {"", "hot"} else f"{self.base}{self.family}"

    def url(self, number: int = 1, cursor: Cursor | None = None) -> str:
        """Return the address of a page of this listing, which starts after `cursor` if given."""
        fields = {}
        if self.order is not FAMILIES.get(self.family, Order.NEW):
            fields["t"] = self.order.rpartition(":")[2]
        if self.direction is Direction.ASC:
            fields["dir"] = "asc"
        if number > 1:
            fields["p"] = str(number)
        if cursor is not None:
            fields["after"] = f"{repr(cursor.score).removesuffix('.0')}_{cursor.post_id}"
        return f"{self.path}?{urlencode(fields)}" if fields else self.path


@lru_cache(maxsize=1_024)
def of(view: str, *args: str) -> str:
    """Return a view's address; Django goes through its patterns at every call."""
    return reverse(view, args=args)


def read(base: str, family: str, query: QueryDict) -> Wanted:
    """Return the listing asked for. Raises Http404 where there can be no such page.

    An order or span that there is not is the usual one: its page says what it is, and what else
    there is to choose.
    """
    order, direction, number = FAMILIES.get(family, Order.NEW), Direction.DESC, 1
    cursor = None
    if query:
        if family == "top":
            order = SPANS.get(query.get("t", ""), order)
        if query.get("dir") == "asc":
            direction = Direction.ASC
        number = page_number(query.get("p", "1"))
        if "after" in query and number > 1:
            cursor = _cursor(query.get("after", ""))
    return Wanted(base, family, order, direction, number, cursor)


def _cursor(text: str) -> Cursor:
    """Return the place that a page starts after. Raises Http404 if the text names none."""
    found = CURSOR.fullmatch(text)
    if not found:
        raise Http404("no such page")
    return Cursor(float(found[1]), int(found[2]))


def page_number(text: str) -> int:
    """Return the number of a page. Raises Http404 where it is none."""
    if not is_number(text) or int(text) < 1:
        raise Http404("no such page")
    return min(int(text), LAST_PAGE)


def before(query: QueryDict) -> int | None:
    """Return the id that a page goes on below; None for the first page. Raises Http404."""
    text = query.get("before")
    if text is None:
        return None
    if not is_number(text) or int(text) < 1:
        raise Http404("no such page")
    return min(int(text), HIGHEST)


def is_number(text: str) -> bool:
    """Say whether a text can be the number of a page, or of a thing that SQL may know."""
    return text.isascii() and text.isdigit() and len(text) < 19
