"""On every page, axe finds no violations, and a phone doesn't scroll sideways."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect
from redis import Redis

from forum.models import User
from tests.browser.pages import SCREEN, axe_violations, too_small, too_wide, unfold
from tests.forum.comments import add_comment
from tests.forum.factories import give_messages, make_older, post
from tests.forum.library import Library, library, short_pages
from tests.forum.page_types import DOZEN, LONG, Visitor

PHONE = ViewportSize(width=390, height=844)
NARROW = ViewportSize(width=320, height=640)
MAGNIFIED = ViewportSize(width=160, height=320)
"""The window of a 320 pixel wide phone whose browser shows everything at twice the size."""
ROWS = 10
"""Number of rows per page. Few rows make axe fast, and ten show every kind of post."""


@pytest.fixture
def site(ada: User, bob: User, settings: Any) -> Iterator[Library]:
    """A site with content for every type of page."""
    with short_pages(settings):
        yield library(ada, bob)


@pytest.fixture
def come(context: BrowserContext, base_url: str, site: Library) -> Callable[[Visitor, str], None]:
    """Return a function that logs the browser in as a visitor and sets the language."""

    def as_(visitor: Visitor, language: str) -> None:
        cookies = {settings.LANGUAGE_COOKIE_NAME: language}
        session = site.browser(visitor).cookies.get(settings.SESSION_COOKIE_NAME)
        if session:
            cookies[settings.SESSION_COOKIE_NAME] = session.value
        context.add_cookies(
            [{"name": name, "value": value, "url": base_url} for name, value in cookies.items()]
        )

    return as_


def everything_wrong(page: Page, address: str) -> str:
    """Open a page at all widths; return what axe finds and how far the page is too wide."""
    page.set_viewport_size(NARROW)
    page.goto(address)
    unfold(page)
    wide = too_wide(page)
    page.set_viewport_size(MAGNIFIED)
    wide = wide or too_wide(page)
    page.set_viewport_size(SCREEN)
    found = axe_violations(page) + too_small(page)
    page.set_viewport_size(PHONE)
    return wide + found + too_small(page)


def expect_none(complaints: dict[str, str]) -> None:
    """Fail if there are complaints about a page. `complaints` is by the name of the page."""
    problems = [f"On {name}: {words}" for name, words in complaints.items() if words]
    assert not problems, "\n\n".join(problems)


@pytest.mark.short
@pytest.mark.long
@pytest.mark.parametrize("visitor", DOZEN)
def test_on_a_dozen_pages_nothing_scrolls_sideways_and_axe_finds_nothing(
    page: Page, site: Library, come: Callable[[Visitor, str], None], visitor: Visitor
) -> None:
    come(visitor, "en")
    pages = site.pages(visitor)
    expect_none({name: everything_wrong(page, pages[name]) for name in DOZEN[visitor]})


@pytest.mark.parametrize("visitor", Visitor)
@pytest.mark.long
def test_no_page_scrolls_sideways_on_a_narrow_phone_and_axe_finds_nothing_in_light_or_dark(
    page: Page, site: Library, come: Callable[[Visitor, str], None], visitor: Visitor
) -> None:
    come(visitor, "en")
    pages = site.pages(visitor)
    expect_none({name: everything_wrong(page, address) for name, address in pages.items()})


@pytest.mark.long
@pytest.mark.parametrize("visitor", Visitor)
def test_no_chinese_page_scrolls_sideways_on_a_phone_and_axe_finds_nothing_in_light_or_dark(
    page: Page, site: Library, come: Callable[[Visitor, str], None], visitor: Visitor
) -> None:
    come(visitor, "zh-hans")
    page.set_viewport_size(PHONE)
    complaints = {}
    for name, address in site.pages(visitor).items():
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == "zh-hans"
        complaints[name] = too_wide(page) + axe_violations(page) + too_small(page)
    expect_none(complaints)


def test_a_preview_of_wide_code_fits_a_narrow_phone(as_ada: Page) -> None:
    page = as_ada
    page.set_viewport_size(NARROW)
    page.goto("/submit")
    page.get_by_label("Text", exact=True).fill(f"    {LONG}{LONG}")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview pre")).to_be_visible()
    assert not too_wide(page)


def test_a_thread_fits_a_narrow_phone_on_which_only_its_text_is_enlarged(
    page: Page, bob: User, log_in: Callable[[User], None], ada: User
) -> None:
    """The window keeps its width when text is enlarged, so no CSS for narrower screens applies."""
    written = add_comment(ada, post(ada)).post
    give_messages(bob, 20)
    page.set_viewport_size(NARROW)
    for member in (False, True):
        if member:
            log_in(bob)
        page.goto(written.get_absolute_url())
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert not too_wide(page), "a member" if member else "a guest"


def test_closed_post_and_chinese_form_fit_a_phone_with_text_of_twice_the_size(
    as_ada: Page, ada: User, context: BrowserContext, base_url: str, redis: Redis
) -> None:
    page, closed = as_ada, post(ada)
    make_older(redis, closed, days=8)
    page.set_viewport_size(MAGNIFIED)
    page.goto(closed.get_absolute_url())
    expect(page.get_by_text("voting has closed")).to_be_visible()
    assert not too_wide(page)
    language = settings.LANGUAGE_COOKIE_NAME
    context.add_cookies([{"name": language, "value": "zh-hans", "url": base_url}])
    page.goto("/submit")
    assert not too_wide(page)


def test_code_and_tables_that_scroll_are_printed_completely(page: Page, ada: User) -> None:
    wide = f"    {LONG} {LONG} {LONG}\n\n| a | b |\n|---|---|\n| {LONG} {LONG} | {LONG} |"
    written = post(ada, body=wide)
    page.set_viewport_size({"width": 650, "height": 920})
    page.emulate_media(media="print")
    page.goto(written.get_absolute_url())
    cut = "box => Math.max(0, box.scrollWidth - box.clientWidth)"
    for part in ("pre", "table"):
        assert page.locator(f".prose {part}").evaluate(cut) == 0, (
            f"pixels of the {part} are cut off"
        )
    assert not too_wide(page)
