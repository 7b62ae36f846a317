"""Renders search results as HTML, from cached parts."""

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from forum.search import addresses
from forum.search.addresses import Refinement, SearchAddress
from forum.search.results import Result
from forum.web import ages, caches, placeholders
from forum.web.addresses import address

FILLED = (
    *("address", "title", "domain", "excerpt", "points", "author"),
    *("iso", "at", "age", "groups", "comments", "merged"),
)

CURRENT = SafeString(' aria-current="true"')


class Kind(NamedTuple):
    """What a result has. Results of the same kind have the same HTML around their texts."""

    has_domain: bool
    has_excerpt: bool
    is_comment: bool
    is_merged: bool
    has_comments: bool


def render(results: Iterable[Result]) -> SafeString:
    """Render each result as a `<li>`."""
    language = get_language()
    return SafeString("".join(_item(result, language) for result in results))


@caches.RESULTS.remember
def refinements(search: SearchAddress, language: str | None) -> SafeString:
    """Render the links that change the order, kind and period of a search.

    The active `language` is part of the cache key.
    """
    navs = (
        (_("Order"), addresses.orders(search)),
        (_("Kind"), addresses.kinds(search)),
        (_("Posted"), addresses.periods(search)),
    )
    return format_html_join(
        "\n",
        '<nav class="variants" aria-label="{}">{}</nav>',
        ((label, _links(links)) for label, links in navs),
    )


def _links(links: Iterable[Refinement]) -> SafeString:
    return format_html_join(
        " ",
        '<a href="{}"{}>{}</a>',
        ((link.url, CURRENT if link.current else "", link.label) for link in links),
    )


def _item(result: Result, language: str | None) -> str:
    kind = Kind(
        has_domain=bool(result.domain),
        has_excerpt=bool(result.excerpt),
        is_comment=result.is_comment,
        is_merged=result.merged_into is not None,
        has_comments=result.comments > 0,
    )
    values = {
        "address": result.address,
        "title": result.title,
        "merged": escape(result.merged_into.title) if result.merged_into else "",
        "domain": escape(result.domain),
        "excerpt": result.excerpt,
        "points": _points(result.points, language),
        "author": _author(result.author),
        "iso": result.posted_at.isoformat(timespec="seconds"),
        "at": ages.full(result.posted_at, language),
        "age": result.age,
        "groups": _groups(result.groups),
        "comments": _comments(result.comments, language),
    }
    return placeholders.fill(_pieces(kind, language), values)


@caches.RESULTS.remember
def _pieces(kind: Kind, language: str | None) -> tuple[str, ...]:
    context = kind._asdict() | placeholders.named(*FILLED)
    return placeholders.split(caches.render_compact("partials/search_result.html", context))


@caches.RESULTS.remember
def _points(points: int | None, language: str | None) -> str:
    if points is None:
        return _("score hidden")
    text = ngettext("%(number)s point", "%(number)s points", points)
    return text % {"number": intcomma(points)}


@caches.RESULTS.remember
def _comments(comments: int, language: str | None) -> str:
    text = ngettext("%(number)s comment", "%(number)s comments", comments)
    return text % {"number": intcomma(comments)}


@caches.RESULTS.remember
def _author(name: str) -> str:
    return f'<a href="{escape(address("profile", name))}">{escape(name)}</a>'


@caches.RESULTS.remember
def _groups(slugs: tuple[str, ...]) -> str:
    links = ((address("group", slug), slug) for slug in slugs)
    return format_html_join("", ' · <a href="{}">{}</a>', links)
