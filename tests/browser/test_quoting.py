"""Whoever selects words in a comment and presses "reply" finds them as a quote in the reply."""

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from forum.models import User
from tests.browser.pages import open_box
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

SELECT = """paragraphs => {
    const range = document.createRange()
    range.setStart(paragraphs[0].firstChild, 0)
    range.setEnd(paragraphs.at(-1).firstChild, 4)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
}"""
BOX = ".thread .comment-form textarea"


@pytest.fixture
def thread(as_ada: Page, ada: User) -> Page:
    written = post(ada, body="Flour first.")
    for name in ("bob", "cleo"):
        add_comment(person(name), written, f"Bread by {name}.\n\nSalt, too.")
    as_ada.goto(written.get_absolute_url())
    return as_ada


def select(page: Page, paragraphs: str) -> None:
    page.locator(paragraphs).evaluate_all(SELECT)


def test_selected_paragraphs_are_quoted(thread: Page) -> None:
    select(thread, ".thread li:nth-child(1) .prose p")
    name = thread.locator(".comment .author").first.inner_text()
    thread.get_by_role("link", name="reply").first.click()
    expect(thread.locator(BOX)).to_have_value(f"> Bread by {name}.\n> \n> Salt\n\n")
    expect(thread.locator(BOX)).to_be_focused()


def test_words_of_another_comment_are_not_quoted(thread: Page) -> None:
    select(thread, ".thread li:nth-child(2) .prose p")
    thread.get_by_role("link", name="reply").first.click()
    expect(thread.locator(BOX)).to_have_value("")


def test_second_quote_follows_what_was_written(thread: Page) -> None:
    reply = thread.get_by_role("link", name="reply").first
    reply.click()
    thread.locator(BOX).fill("Yes.")
    select(thread, ".thread li:nth-child(1) .prose p:last-of-type")
    reply.press("Enter")
    expect(thread.locator(BOX)).to_have_value("Yes.\n\n> Salt\n\n")


def test_key_for_a_reply_quotes_the_comment_with_the_selection(thread: Page) -> None:
    select(thread, ".thread li:nth-child(2) .prose p")
    name = thread.locator(".comment .author").nth(1).inner_text()
    thread.keyboard.press("r")
    expect(thread.locator(BOX)).to_have_value(f"> Bread by {name}.\n> \n> Salt\n\n")


@pytest.mark.parametrize("key", [True, False], ids=["by-key", "by-mouse"])
def test_words_of_the_post_are_quoted_in_the_box_for_comments(thread: Page, key: bool) -> None:
    select(thread, ".text-column > .prose p")
    if key:
        thread.keyboard.press("r")
    else:
        open_box(thread)
    box = thread.locator(".write textarea")
    expect(box).to_have_value("> Flou\n\n")
    expect(box).to_be_focused()


def test_box_for_a_reply_is_all_on_the_screen(thread: Page) -> None:
    thread.set_viewport_size(ViewportSize(width=1280, height=300))
    for number in range(2):
        thread.get_by_role("link", name="reply").nth(number).click()
        expect(thread.get_by_role("button", name="Cancel").last).to_be_in_viewport(ratio=1)


def test_quoted_code_is_without_its_button(
    as_ada: Page, context: BrowserContext, ada: User
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    written = post(ada)
    add_comment(ada, written, "Try:\n\n```\nprint(1)\n```\n\nSalt, too.")
    as_ada.goto(written.get_absolute_url())
    expect(as_ada.get_by_role("button", name="Copy")).to_be_attached()
    select(as_ada, ".thread .prose p")
    as_ada.get_by_role("link", name="reply").click()
    expect(as_ada.locator(BOX)).to_have_value("> Try:\n> \n> print(1)\n> Salt\n\n")
