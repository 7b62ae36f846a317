"""Spoilers show their text on click or focus, with and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.browser.pages import axe_violations
from tests.forum.factories import post

TEXT = "It was >!the gardener, see [page 90](/about)!<.\n\n- Or >!two\nlines!<"


@pytest.mark.parametrize("script", [True, False])
def test_click_or_key_shows_a_spoiler_and_leaving_it_hides_it(
    page: Page, ada: User, script: bool
) -> None:
    page.goto(post(ada, body=TEXT).get_absolute_url())
    spoilers = page.locator(".spoiler")
    first, second = spoilers.nth(0).locator("> span"), spoilers.nth(1).locator("> span")
    expect(first).to_be_hidden()
    spoilers.nth(0).click()
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="page 90")).to_be_focused()
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(first).to_be_hidden()
    expect(second).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_spoilers_are_accessible_closed_and_open(page: Page, ada: User, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(post(ada, body=TEXT).get_absolute_url())
    assert axe_violations(page) == ""
    page.locator(".spoiler").first.click()
    expect(page.get_by_role("link", name="page 90")).to_be_visible()
    assert axe_violations(page) == ""
