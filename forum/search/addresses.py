"""URLs of search results: pages, orders and refined searches."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from forum.search.parser import replace_operator, simplified
from forum.search.queries import Order
from forum.web.addresses import address


@dataclass(frozen=True, slots=True)
class SearchAddress:
    """The URL of a page of results."""

    text: str
    order: Order = Order.RELEVANCE
    number: int = 1

    def url(self, number: int = 1, _cursor: object = None) -> str:
        """Return the URL of the page `number` of the search results."""
        fields = {"q": self.text}
        if self.order is not Order.RELEVANCE:
            fields["o"] = self.order.value
        if number > 1:
            fields["p"] = str(number)
        return f"{address('search')}?{urlencode(fields)}"

    @property
    def feed(self) -> str:
        """The URL of the Atom feed with the search results, newest first."""
        return f"{address('feed_search')}?{urlencode({'q': self.text})}"

    def refined(self, name: str, value: str) -> str:
        """Return the URL of this search with the operator `name` (such as `is`) set to `value`.

        If `value` is "", the operator is left out.
        """
        return SearchAddress(replace_operator(self.text, name, value), self.order).url()


@dataclass(frozen=True, slots=True)
class Refinement:
    """A link that narrows a search."""

    label: str
    url: str
    current: bool = False


def refinements(search: SearchAddress) -> Iterator[tuple[str, Iterator[Refinement]]]:
    """Yield the links that change the order, kind and period of a search, each with a label."""
    yield _("Order"), orders(search)
    yield _("Kind"), kinds(search)
    yield _("Posted"), periods(search)


def orders(search: SearchAddress) -> Iterator[Refinement]:
    """Yield a link for each order of the results."""
    labels = {
        Order.RELEVANCE: _("Most relevant"),
        Order.DATE: _("Newest"),
        Order.POINTS: _("Most points"),
    }
    for order, label in labels.items():
        current = order is search.order
        yield Refinement(label, SearchAddress(search.text, order).url(), current)


def kinds(search: SearchAddress) -> Iterator[Refinement]:
    """Yield a link for each kind of result."""
    labels = {
        "": _("Everything"),
        "post": _("Posts"),
        "link": _("Links"),
        "question": _("Questions"),
        "comment": _("Comments"),
    }
    return _links(search, "is", labels)


def periods(search: SearchAddress) -> Iterator[Refinement]:
    """Yield a link for each maximum age of results, such as "Past week"."""
    labels = {
        "": _("Any time"),
        "1d": _("Past day"),
        "7d": _("Past week"),
        "30d": _("Past month"),
        "1y": _("Past year"),
    }
    return _links(search, "after", labels)


def _links(search: SearchAddress, name: str, labels: dict[str, str]) -> Iterator[Refinement]:
    current = SearchAddress(simplified(search.text), search.order).url()
    for value, label in labels.items():
        url = search.refined(name, value)
        yield Refinement(label, url, url == current)
