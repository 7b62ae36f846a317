"""On a desktop, many posts or comments fit on the screen, and buttons are still large enough."""

import pytest
from playwright.sync_api import Page, ViewportSize

from forum.models import User
from tests.forum.comments import add_comment
from tests.forum.factories import post, posts

pytestmark = pytest.mark.long

DESK = ViewportSize(width=1280, height=1080)
HEIGHT = "box => box.getBoundingClientRect().height"
WHOLE = """rows => rows.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length"""
SMALL = """parts => parts.map(part => [part, part.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.height < 23.9 || box.width < 23.9))
  .map(([part, box]) => `${part.textContent.trim()}: ${box.width} x ${box.height}`)"""
"""JavaScript that returns the links and buttons narrower or lower than 24 pixels."""
PARTS = ".arrow, .tabs a, .variants a, .pager a, .row .title a, .does a, .does .link, .actions a"


@pytest.fixture
def crowd(ada: User, bob: User) -> None:
    """Publish enough posts to fill the front page. Each title fits on one line."""
    posts(ada, 30, "A post of an ordinary length, as people write, number {}")


@pytest.mark.usefixtures("crowd")
def test_guest_sees_18_posts_at_once_on_a_desktop(page: Page) -> None:
    page.set_viewport_size(DESK)
    page.goto("/")
    assert page.locator(".rows > li").evaluate_all(WHOLE) >= 18


@pytest.mark.usefixtures("crowd")
def test_member_sees_19_posts_at_once_on_a_desktop(as_bob: Page) -> None:
    as_bob.set_viewport_size(DESK)
    as_bob.goto("/")
    assert as_bob.locator(".rows > li").evaluate_all(WHOLE) >= 19


def test_a_comment_of_one_line_takes_84_pixels(as_bob: Page, ada: User, bob: User) -> None:
    written = post(ada)
    for author in (ada, bob, ada):
        add_comment(author, written, "A comment of one line.")
    as_bob.set_viewport_size(DESK)
    as_bob.goto(written.get_absolute_url())
    items = as_bob.locator(".thread .replies > li")
    assert items.count() == 3
    assert all(each.evaluate(HEIGHT) <= 84 for each in items.all())


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("address", ["/", "/g/books/", "/top", "/u/ada/", "thread"])
def test_targets_are_24_pixels_high_and_wide_on_a_desktop(
    as_bob: Page, ada: User, address: str
) -> None:
    written = post(ada)
    add_comment(ada, written, "A comment.")
    as_bob.set_viewport_size(DESK)
    as_bob.goto(written.get_absolute_url() if address == "thread" else address)
    assert as_bob.locator(PARTS).count() > 4
    assert as_bob.locator(PARTS).evaluate_all(SMALL) == []
