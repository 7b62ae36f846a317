"""Template tags for listings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django import template
from django.utils.translation import gettext as _

from forum.web.addresses import FAMILIES, SPANS, ListingAddress
from voting.types import Direction, Order, Page

register = template.Library()
AROUND = 2
"""Number of pages that the pager links to on each side of the current page."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A link in a row of links, such as the orders of a listing or the page numbers of a pager.

    In a pager, `number` is the number of the page, or 0 for a gap between page numbers.
    """

    label: str
    url: str
    current: bool
    number: int = 0


@register.simple_tag
def listing_title(address: ListingAddress) -> str:
    """Return the title of a listing."""
    ascending = address.direction is Direction.ASC
    return {
        Order.HOT: _("Cold") if ascending else _("Hot"),
        Order.NEW: _("Old") if ascending else _("New"),
        Order.ACTIVE: _("Quiet") if ascending else _("Active"),
        Order.VIEWS: _("Least viewed") if ascending else _("Most viewed"),
        Order.TOP_DAY: _("Top of the day"),
        Order.TOP_WEEK: _("Top of the week"),
        Order.TOP_MONTH: _("Top of the month"),
        Order.TOP_ALL: _("Top of all time"),
    }[address.order]


@register.simple_tag
def families(address: ListingAddress) -> list[Choice]:
    """Return a link to each order of a listing, such as `hot` and `new`."""
    labels = {
        "hot": _("Hot"),
        "new": _("New"),
        "active": _("Active"),
        "top": _("Top"),
        "views": _("Views"),
    }
    return [
        Choice(
            labels[name], ListingAddress(address.base, name, order).url(), name == address.family
        )
        for name, order in FAMILIES.items()
    ]


@register.simple_tag
def variants(address: ListingAddress) -> list[Choice]:
    """Return links that change a listing's direction, such as "Newest first" and "Oldest first".

    For "top", return links that change the time span, such as "Day" and "Week".
    """
    first = replace(address, number=1, cursor=None)
    labels = {
        "hot": (_("Highest ranked"), _("Lowest ranked")),
        "new": (_("Newest first"), _("Oldest first")),
        "active": (_("Most recent first"), _("Least recent first")),
        "top": (_("Day"), _("Week"), _("Month"), _("All time")),
        "views": (_("Most first"), _("Fewest first")),
    }[address.family]
    if address.family == "top":
        listings = [replace(first, order=order) for order in SPANS.values()]
    else:
        listings = [replace(first, direction=direction) for direction in Direction]
    chosen = zip(labels, listings, strict=True)
    return [Choice(label, one.url(), one == first) for label, one in chosen]


@register.inclusion_tag("partials/pager.html")
def pager(address: ListingAddress, page: Page) -> dict[str, Any]:
    """Show the links to the previous page, the next page and page numbers.

    The next page starts after the last post of this page, even if the listing changes.
    """
    here, pages = address.number, page.pages
    return {
        "before": address.url(here - 1) if here > 1 else "",
        "after": address.url(here + 1, page.last) if page.more else "",
        "links": [
            Choice(str(number or "…"), address.url(number), number == here, number)
            for number in _numbers(here, pages)
        ],
    }


def _numbers(here: int, pages: int) -> Iterator[int]:
    """Yield the numbers of the pages to link, and 0 wherever page numbers are left out."""
    last = 0
    for number in range(1, pages + 1) if pages < 8 else _far(here, pages):
        if number > last + 1:
            yield 0
        yield number
        last = number


def _far(here: int, pages: int) -> list[int]:
    near = range(max(1, here - AROUND), min(pages, here + AROUND) + 1)
    return sorted({1, *near, pages})
