"""People search from the header, on a desktop and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.browser.pages import PHONE, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post

pytestmark = pytest.mark.long


def test_member_searches_from_the_header_and_saves_the_search(
    as_bob: Page, ada: User, script: bool
) -> None:
    page, written = as_bob, post(ada, "Growing tea at home")
    add_comment(ada, written, "Which tea grows in the shade?")
    visit(page, "/new")
    page.get_by_role("searchbox", name="Search").fill("tea")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 results")).to_be_visible()
    page.get_by_role("link", name="Comments", exact=True).first.click()
    expect(page.get_by_text("1 result")).to_be_visible()
    expect(page.locator(".results mark")).to_have_text("tea")
    page.get_by_label("Name").fill("Comments on tea")
    page.get_by_role("button", name="Save this search").click()
    page.get_by_role("link", name="Comments on tea").click()
    expect(page.get_by_text("1 result")).to_be_visible()
    page.locator(".results a").first.click()
    expect(page.get_by_text("Which tea grows in the shade?")).to_be_visible()


def test_guest_opens_the_search_on_a_phone(page: Page, ada: User, script: bool) -> None:
    post(ada, "Growing tea at home")
    page.set_viewport_size(PHONE)
    visit(page, "/")
    expect(page.get_by_role("searchbox")).to_have_count(0)
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("tea")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name="Growing tea at home")).to_be_visible()
