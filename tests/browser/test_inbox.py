"""The inbox has short items, so that many notifications are on one screen."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import InboxItem, User
from tests.browser.pages import PHONE, expect_sound
from tests.forum.comments import add_comment
from tests.forum.factories import post


@pytest.fixture
def notified(as_bob: Page, ada: User, bob: User) -> Page:
    """Bob's inbox with two replies to a comment of his."""
    written = post(ada)
    comment = add_comment(bob, written)
    for text in ("Yes.", "Well said."):
        add_comment(ada, written, text, to=comment)
    as_bob.goto("/inbox")
    return as_bob


def test_an_item_of_one_line_is_60_pixels_high(notified: Page) -> None:
    items = notified.locator(".inbox-item")
    expect(items).to_have_count(2)
    heights = [item.bounding_box()["height"] for item in items.all()]  # type: ignore[index]
    assert max(heights) <= 61, heights


def test_a_reply_is_written_below_the_item(notified: Page, ada: User) -> None:
    page = notified
    item = page.locator(".inbox-item").first
    item.get_by_text("Reply", exact=True).click()
    box = item.get_by_label("Your reply")
    expect(box).to_be_visible()
    assert box.evaluate("box => box.offsetWidth") >= 500
    expect_sound(page, script=True)
    box.fill("Thank you.")
    item.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your reply was sent")).to_be_visible()
    assert InboxItem.objects.filter(user=ada).latest("pk").comment.body == "Thank you."  # type: ignore[union-attr]


def test_the_inbox_fits_a_phone(notified: Page) -> None:
    page = notified
    page.set_viewport_size(PHONE)
    expect(page.get_by_role("button", name="Mute replies")).to_be_visible()
    expect_sound(page, script=True)
