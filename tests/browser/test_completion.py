"""Names of people are completed in the text box."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import Post, User
from tests.browser.pages import axe_violations, comment_box
from tests.forum.comments import add_comment
from tests.forum.factories import person, post


@pytest.fixture
def thread(ada: User) -> Post:
    """A post by Ada, with a comment by Adele. Adrian isn't in the thread."""
    written = post(ada, "Which knot?")
    add_comment(person("adele"), written)
    person("adrian", karma=99)
    return written


def test_people_in_the_thread_are_offered_before_others(as_bob: Page, thread: Post) -> None:
    page = as_bob
    options = page.get_by_role("listbox", name="People").get_by_role("option")
    page.goto(thread.get_absolute_url())
    box = comment_box(page)
    box.press_sequentially("Hello @ad")
    expect(options).to_have_text(["ada", "adele", "adrian"])
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", "completion-0")
    assert not axe_violations(page)
    names, text = page.get_by_role("listbox").bounding_box(), box.bounding_box()
    assert names
    assert text
    assert names["y"] >= text["y"] + text["height"] - 1, "the names cover no text"
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value("Hello @adele ")
    expect(options).to_have_count(0)
    box.press_sequentially("and @adr")
    expect(options).to_have_text(["adrian"])
    options.click()
    expect(box).to_have_value("Hello @adele and @adrian ")
    expect(box).to_be_focused()


def test_escape_closes_the_names_and_not_the_reply(as_bob: Page, thread: Post) -> None:
    page = as_bob
    page.goto(thread.get_absolute_url())
    page.locator(".comment .actions").get_by_text("reply", exact=True).click()
    box = page.get_by_label("Your reply")
    box.press_sequentially("@a")
    expect(page.get_by_role("option")).to_have_text(["ada", "adele"])
    box.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    expect(box).to_be_focused()
    box.press("Enter")
    expect(box).to_have_value("@a\n")


def test_address_is_not_completed(as_bob: Page, thread: Post) -> None:
    page = as_bob
    page.goto(thread.get_absolute_url())
    box = comment_box(page)
    box.press_sequentially("mail@ad")
    expect(page.get_by_role("option")).to_have_count(0)
