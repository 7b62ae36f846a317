"""Staff use the admin in a browser: lists fit the window, and staff remove and restore content."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.forum.factories import person

pytestmark = pytest.mark.long


@pytest.fixture
def as_stella(page: Page, log_in: Callable[[User], None]) -> Page:
    log_in(person("stella", is_staff=True, is_superuser=True))
    page.set_viewport_size({"width": 1280, "height": 800})
    return page


def test_staff_see_who_is_active_without_scrolling(as_stella: Page) -> None:
    person("a-name-of-thirty-letters-or-so", email="a-rather-long-address@mail.example.org")
    as_stella.goto("/admin/forum/user/")
    expect(as_stella.locator("th.column-is_active")).to_be_in_viewport(ratio=1)
    expect(as_stella.locator("td.field-is_active").first).to_be_in_viewport(ratio=1)
