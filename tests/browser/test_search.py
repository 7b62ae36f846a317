"""People search from the header, on a desktop and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.browser.pages import PHONE, visit
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
