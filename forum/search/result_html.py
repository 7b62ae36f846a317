"""Renders search results as HTML, from cached parts."""

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from forum.models.deleted_names import is_deleted, shown_name
from forum.queries.role_marks import RoleMark, of_name
from forum.search.results import Result
from forum.web import ages, caches, placeholders, role_marks
from forum.web.addresses import address
from forum.web.group_chips import chip

FILLED = (
    *("address", "title", "domain", "excerpt", "points", "author"),
    *("iso", "at", "age", "groups", "comments", "merged"),
)


class Kind(NamedTuple):
    """The parts of a result. Results with the same parts have the same HTML around their texts."""

    has_domain: bool
    has_excerpt: bool
    is_comment: bool
    is_merged: bool
    has_comments: bool


def render(results: Iterable[Result]) -> SafeString:
    """Render each result as a `<li>`."""
    language = get_language()
    return SafeString("".join(_item(result, language) for result in results))


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
        "author": _author(result.author, of_name(result.author, result.groups), language),
        "iso": result.posted_at.isoformat(timespec="seconds"),
        "at": ages.full(result.posted_at, language),
        "age": result.age,
        "groups": "".join(f"{chip(slug)} " for slug in result.groups),
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
    text = ngettext(
        "<b>%(number)s</b> <span>comment</span>",
        "<b>%(number)s</b> <span>comments</span>",
        comments,
    )
    return text % {"number": intcomma(comments)}


@caches.RESULTS.remember
def _author(name: str, mark: RoleMark, language: str | None) -> str:
    if is_deleted(name):
        return escape(shown_name(name))
    link = f'<a href="{escape(address("profile", name))}">{escape(name)}</a>'
    return link + role_marks.render(mark)
