"""The header has room for long names and all numbers, and moderators can search."""

from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from forum.actions import queue_items
from forum.models import GroupModerator, QueueItem, User
from tests.browser.pages import axe_violations, too_wide
from tests.forum.factories import give_messages, groups, person, posts

NAMES = ["kenji", "a-name-of-exactly-thirty-chars", "W" * 30]


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found, f"{part} is not on the screen"
    return found


@pytest.fixture(params=NAMES)
def moderator(
    request: pytest.FixtureRequest, page: Page, ada: User, log_in: Callable[[User], None]
) -> Page:
    """The window of a moderator with a hundred unread items and a hundred in the queue."""
    member = person(request.param)
    (group,) = groups("books")
    GroupModerator.objects.create(group=group, user=member)
    give_messages(member, 100)
    for written in posts(ada, 100):
        queue_items.open_item(written, QueueItem.Kind.HELD)
    log_in(member)
    return page


def test_moderators_header_has_two_lines_on_a_phone(moderator: Page) -> None:
    for width in (320, 390, 768):
        moderator.set_viewport_size({"width": width, "height": 844})
        moderator.goto("/")
        head, lists = box(moderator.locator(".site-head")), box(moderator.locator(".site-nav"))
        own = box(moderator.locator(".site-own"))
        assert own["height"] <= 50, f"at {width} pixels"
        assert head["height"] == pytest.approx(own["height"] + lists["height"], abs=2)
        assert not too_wide(moderator), f"at {width} pixels"


def test_queue_is_in_the_menu_of_a_phone_and_a_dot_says_that_items_wait(moderator: Page) -> None:
    moderator.set_viewport_size({"width": 390, "height": 844})
    moderator.goto("/")
    expect(moderator.locator(".site-queue")).to_be_hidden()
    dot = box(moderator.locator(".menu > summary .dot"))
    assert dot["width"] == dot["height"] == 8
    assert dot["x"] + dot["width"] <= 390
    moderator.locator(".menu > summary").click()
    queue = moderator.locator(".menu").get_by_role("link", name="Moderation queue")
    expect(queue.locator(".count")).to_have_text("99+")
    assert not axe_violations(moderator)


@pytest.mark.parametrize("path", ["/", "/submit"])
def test_moderators_search_box_is_wide_enough_to_type_in(moderator: Page, path: str) -> None:
    for width, least in ((1000, 0), (1280, 150), (1440, 150)):
        moderator.set_viewport_size({"width": width, "height": 844})
        moderator.goto(path)
        search = box(moderator.locator(".site-search input"))
        assert search["width"] >= least, f"at {width} pixels"
        assert box(moderator.locator(".site-head"))["height"] <= 50, f"at {width} pixels"
        assert not too_wide(moderator), f"at {width} pixels"


def test_dot_is_only_where_the_queue_is_in_the_menu(moderator: Page) -> None:
    moderator.set_viewport_size({"width": 1280, "height": 844})
    moderator.goto("/")
    expect(moderator.locator(".site-queue .count")).to_have_text("99+")
    expect(moderator.locator(".menu > summary .dot")).to_be_hidden()
