"""People search from the header, on a desktop and on a phone."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from forum.models import User
from tests.browser.pages import PHONE, axe_violations, visit
from tests.forum.factories import post

pytestmark = pytest.mark.long


def test_guest_opens_the_search_on_a_phone(page: Page, ada: User, script: bool) -> None:
    post(ada, "Growing tea at home")
    page.set_viewport_size(PHONE)
    visit(page, "/")
    expect(page.get_by_role("searchbox")).to_have_count(0)
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("tea")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name="Growing tea at home")).to_be_visible()


@pytest.mark.parametrize("width", [1000, 1280])
def test_button_of_the_header_searches(as_bob: Page, ada: User, width: int) -> None:
    post(ada, "Blue heron")
    as_bob.set_viewport_size(ViewportSize(width=width, height=720))
    visit(as_bob, "/new")
    form = as_bob.locator(".site-search")
    box, button = form.get_by_role("searchbox").bounding_box(), form.get_by_role("button")
    assert box is not None
    assert box["width"] >= 48, "there is room for a word"
    form.get_by_role("searchbox").fill("heron")
    button.click()
    expect(as_bob.get_by_role("link", name="Blue heron")).to_be_visible()
    assert not axe_violations(as_bob)
