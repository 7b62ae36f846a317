"""Without JavaScript, people watch threads, read notifications, and choose which ones they get."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from forum.actions import comments as comment_actions
from forum.models import Post, User
from tests.forum.factories import post
from tests.forum.worker_runs import run_worker


@pytest.fixture
def script() -> bool:
    """Turn JavaScript off for all tests in this file, because the inbox must work without it."""
    return False


@pytest.fixture
def written(ada: User) -> Post:
    """A post by Ada."""
    return post(ada, title="Bread")


def test_watcher_is_notified_and_reads_the_comment(
    as_bob: Page, script: bool, ada: User, bob: User, written: Post
) -> None:
    as_bob.goto(written.get_absolute_url())
    as_bob.get_by_role("button", name="Watch").click()
    notice = as_bob.get_by_text("You will be notified of new comments in this thread.")
    expect(notice).to_be_visible()
    expect(as_bob.get_by_role("button", name="Watching")).to_have_attribute("aria-pressed", "true")
    comment_actions.write(author=ada, post=written, parent=None, body="More salt.")
    run_worker()
    as_bob.goto("/")
    as_bob.get_by_role("link", name="Inbox, 1 unread").click()
    expect(as_bob.get_by_text("More salt.")).to_be_visible()
    as_bob.get_by_role("link", name="ada commented in a thread you watch").click()
    expect(as_bob.get_by_text("More salt.").first).to_be_visible()
    expect(as_bob.get_by_role("link", name="Inbox", exact=True)).to_be_visible()


def test_reply_in_inbox_and_stop_watching_thread(
    as_ada: Page, script: bool, bob: User, written: Post
) -> None:
    comment = comment_actions.write(author=bob, post=written, parent=None, body="More salt.")
    as_ada.goto("/inbox")
    box = as_ada.get_by_label("Your reply")
    expect(box).to_be_hidden()
    as_ada.locator("summary").get_by_text("Reply").click()
    box.fill("A pinch more.")
    as_ada.get_by_role("button", name="Send").click()
    expect(as_ada.get_by_text("Your reply was sent.")).to_be_visible()
    expect(as_ada.get_by_role("link", name="Inbox", exact=True)).to_be_visible()
    assert comment.replies.get().body == "A pinch more."
    as_ada.get_by_role("button", name="Stop watching: Bread").click()
    expect(as_ada.get_by_role("button", name="Watch: Bread", exact=True)).to_be_visible()
    as_ada.get_by_role("heading").get_by_role("link", name="Bread").click()
    expect(as_ada.get_by_text("A pinch more.")).to_be_visible()


def test_mark_one_item_as_read_and_then_all(
    as_ada: Page, script: bool, bob: User, written: Post
) -> None:
    for number in range(3):
        comment_actions.write(author=bob, post=written, parent=None, body=f"Number {number}.")
    as_ada.goto("/inbox")
    as_ada.get_by_role("button", name="Mark as read").first.click()
    expect(as_ada.get_by_role("link", name="Inbox, 2 unread")).to_be_visible()
    expect(as_ada.get_by_role("button", name="Mark as read")).to_have_count(2)
    as_ada.get_by_role("link", name="Replies").click()
    as_ada.get_by_role("button", name="Mark these as read").click()
    expect(as_ada.get_by_role("button", name="Mark as read")).to_have_count(0)
    expect(as_ada.get_by_role("link", name="Inbox", exact=True)).to_be_visible()


def test_notifications_of_mentions_can_be_turned_off(
    as_bob: Page, script: bool, ada: User, written: Post
) -> None:
    as_bob.goto("/inbox")
    as_bob.get_by_role("link", name="Preferences").click()
    as_bob.get_by_label("Mentions of me").uncheck()
    as_bob.get_by_role("button", name="Save").click()
    expect(as_bob.get_by_text("Your preferences were saved.")).to_be_visible()
    expect(as_bob.get_by_label("Mentions of me")).not_to_be_checked()
    comment_actions.write(author=ada, post=written, parent=None, body="Hello @bob.")
    as_bob.goto("/inbox")
    expect(as_bob.get_by_text("No notifications yet.")).to_be_visible()


def test_writing_too_fast_gives_the_text_back(
    as_bob: Page, script: bool, written: Post, settings: Any
) -> None:
    settings.SAME_TEXT = 600
    for _time in range(2):
        as_bob.goto(written.get_absolute_url())
        as_bob.locator("textarea[name=body]").fill("Salt makes the bread.")
        as_bob.get_by_role("button", name="Send").click()
    expect(as_bob.get_by_text("You just sent the same text.")).to_be_visible()
    expect(as_bob.locator("textarea[name=body]")).to_have_value("Salt makes the bread.")
