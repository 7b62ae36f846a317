"""After log-out, the Back button shows no private page, even with a back-forward cache.

Playwright turns the browser's back-forward cache off, and a headless Chromium has none. So these
tests start a full Chromium and keep its cache on.
"""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Playwright, expect

from forum.models import User
from tests.browser.conftest import PATIENCE
from tests.browser.pages import open_box
from tests.forum.factories import PASSWORD, post

WHOLE = ("chromium", "chromium-browser", "google-chrome", "chrome")
PRIVATE = {
    "/inbox": "No notifications yet.",
    "/preferences": "Notify me about",
    "/accounts/email/": "bob@example.org",
}
"""Paths of private pages, each with a text on that page."""


@pytest.fixture(scope="module")
def keeping(
    playwright: Playwright, browser_type_launch_args: dict[str, Any], base_url: str
) -> Iterator[Callable[[], Page]]:
    """Return a function that opens a window of a browser that has a back-forward cache."""
    program = next(filter(None, map(shutil.which, WHOLE)), None)
    if program is None:
        pytest.skip("There is only a Chromium without windows here, which keeps no pages.")
    options = browser_type_launch_args | {"executable_path": program}
    options["ignore_default_args"] = ["--disable-back-forward-cache"]
    with playwright.chromium.launch(**options) as browser:

        def opened() -> Page:
            context = browser.new_context(base_url=base_url, locale="en-GB")
            context.set_default_timeout(PATIENCE)
            return context.new_page()

        yield opened


@pytest.fixture
def window(keeping: Callable[[], Page]) -> Iterator[Page]:
    page = keeping()
    yield page
    page.context.close()


def log_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_text("bob", exact=True)).to_be_visible()


def log_out(page: Page) -> None:
    account = page.get_by_role("navigation", name="Your account")
    account.get_by_text("bob").click()
    account.get_by_role("button", name="Log out").click()
    expect(account.get_by_role("link", name="Log in")).to_be_visible()


def test_this_browser_caches_pages_of_guests(window: Page) -> None:
    """Without a back-forward cache in this browser, the other tests would prove nothing."""
    window.goto("/about")
    window.evaluate("window.kept = true")
    window.goto("/groups")
    window.go_back(wait_until="commit")
    assert window.evaluate("window.kept") is True


def test_back_after_log_out_shows_the_log_in_page(window: Page, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    log_in(window)
    for path, shown in PRIVATE.items():
        window.goto(path)
        expect(window.get_by_text(shown).first).to_be_visible()
    log_out(window)
    for _path in PRIVATE:
        window.go_back(wait_until="commit")
        window.wait_for_url("**/accounts/login/?**")
        expect(window.get_by_role("heading", name="Log in")).to_be_visible()
        for shown in PRIVATE.values():
            expect(window.get_by_text(shown)).to_have_count(0)


def test_log_out_leaves_no_draft_behind(window: Page, ada: User, bob: User) -> None:
    written = post(ada, "Which knot?")
    log_in(window)
    window.goto(written.get_absolute_url())
    open_box(window).fill("Half a thought")
    log_out(window)
    assert window.evaluate("JSON.stringify({...sessionStorage, ...localStorage})") == "{}"
