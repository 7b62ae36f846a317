"""Whoever selects words in a comment and presses "reply" finds them as a quote in the reply."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
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
    written = post(ada)
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
