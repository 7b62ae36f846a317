"""Staff use the admin in a browser: lists fit the window, and staff remove and restore content."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

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


def test_staff_remove_a_comment_and_restore_it(as_stella: Page, ada: User) -> None:
    page, comment = as_stella, add_comment(ada, post(ada, "Knots"), "A round turn.")
    page.goto("/admin/forum/comment/")
    for action in ("Remove selected comments", "Restore selected comments"):
        page.locator("#action-toggle").check()
        page.get_by_label("Action:").select_option(label=action)
        page.get_by_role("button", name="Go", exact=True).click()
        if action.startswith("Remove"):
            expect(page.get_by_role("heading", name="Remove 1 comment?")).to_be_visible()
            page.get_by_label("Reason").fill("Unkind")
            page.get_by_role("button", name="Remove").click()
            expect(page.get_by_text("1 comment removed.")).to_be_visible()
    expect(page.get_by_text("1 comment restored.")).to_be_visible()
    page.goto(comment.get_absolute_url())
    expect(page.get_by_text("A round turn.")).to_be_visible()


def test_staff_log_leads_to_person_and_to_their_profile(as_stella: Page, ada: User) -> None:
    page = as_stella
    page.goto(f"/u/{ada.username}/")
    page.get_by_role("link", name="In the admin").click()
    page.get_by_label("Bio").fill("Ties knots.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/admin/")
    page.locator("#content").get_by_role("link", name="Staff log").first.click()
    page.locator("#result_list").get_by_role("link", name="ada").click()
    page.get_by_role("link", name="View on site").click()
    expect(page.get_by_text("Ties knots.")).to_be_visible()
