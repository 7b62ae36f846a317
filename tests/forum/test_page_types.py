"""PAGES lists every page of the site, and each of these pages opens."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from forum.models import User
from tests.forum.library import Library, library, short_pages
from tests.forum.page_types import NO_PAGE, Visitor

pytestmark = pytest.mark.django_db(transaction=True)
NOWHERE = {"unknown address", "no such group", "no such page", "method not allowed"}
TIME = re.compile(r'<time datetime="([^"]*)"')
HTML_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)")


@pytest.fixture
def site(ada: User, bob: User, settings: Any) -> Iterator[Library]:
    """A site on which every type of page has content."""
    with short_pages(settings):
        yield library(ada, bob)


def names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Yield the names of all URLs, except those of the admin."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            if pattern.name:  # the library's redirects from its old addresses have none
                yield pattern.name
        elif pattern.app_name not in {"admin", "ninja"}:
            yield from names(pattern.url_patterns)


def test_every_address_is_listed_as_a_page_or_as_none(site: Library) -> None:
    pages = {
        resolve(path.partition("?")[0]).url_name for path in _paths(site) if path != "/nowhere"
    }
    missing = set(names(get_resolver().url_patterns)) - pages - NO_PAGE.keys()
    missing -= {"admin_statistics"}
    assert not missing, "add them to PAGES, or to NO_PAGE with a reason"
    assert not pages & NO_PAGE.keys() - {"inbox_read"}, "these do show a page"


def _paths(site: Library) -> Iterator[str]:
    for visitor in Visitor:
        yield from site.pages(visitor).values()


@pytest.mark.parametrize("visitor", Visitor)
def test_each_page_opens_for_its_visitor(site: Library, visitor: Visitor) -> None:
    window, wrong = site.browser(visitor), {}
    for name, address in site.pages(visitor).items():
        answer = window.get(address, follow=True)
        reached = answer.request["PATH_INFO"] == address.partition("?")[0]
        moved = "set-password" in answer.request["PATH_INFO"] and name == "new password"
        if (answer.status_code != 200 and name not in NOWHERE) or not (reached or moved):
            wrong[name] = (answer.status_code, answer.request["PATH_INFO"])
    assert not wrong


@pytest.mark.parametrize("visitor", Visitor)
@pytest.mark.long
def test_times_are_valid_html(site: Library, visitor: Visitor) -> None:
    window, times = site.browser(visitor), set()
    for address in site.pages(visitor).values():
        times.update(TIME.findall(window.get(address, follow=True).content.decode()))
    assert not [time for time in times if not HTML_TIME.fullmatch(time)]
    assert times or visitor not in {Visitor.GUEST, Visitor.MEMBER}
