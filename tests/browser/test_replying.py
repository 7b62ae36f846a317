"""People write and preview replies, within the thread or (without JavaScript) on separate pages."""

import pytest
from playwright.sync_api import Locator, Page, expect

from forum.models import Comment, Post, User
from tests.browser.pages import open_box, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post


@pytest.fixture
def comment(ada: User) -> Comment:
    """A comment by Ada."""
    return add_comment(ada, post(ada, "Knots"), "Reef knots hold.")


def reply(page: Page, to: Comment) -> Locator:
    """Press "reply" below a comment and return the text box that opens."""
    page.locator(f"#comment-{to.pk} .actions").get_by_text("reply", exact=True).click()
    return page.get_by_label("Your reply")


def test_reply_appears_below_its_parent(as_bob: Page, comment: Comment, script: bool) -> None:
    page = as_bob
    visit(page, comment.post.get_absolute_url())
    box = reply(page, comment)
    if script:
        expect(box).to_be_focused()
        assert "#reply" not in page.url
    box.fill("Not in nylon.")
    page.locator("form", has=box).get_by_role("button", name="Send").click()
    expect(page.locator(".replies .replies .prose")).to_have_text("Not in nylon.")
    assert Comment.objects.latest("pk").parent == comment


def test_escape_and_cancel_close_the_form_and_keep_its_text(as_bob: Page, comment: Comment) -> None:
    page = as_bob
    visit(page, comment.post.get_absolute_url())
    box = reply(page, comment)
    box.press_sequentially("Half a thou")
    box.press("Escape")
    expect(box).to_be_hidden()
    expect(page.locator(f"#comment-{comment.pk} .actions a", has_text="reply")).to_be_focused()
    expect(reply(page, comment)).to_have_value("Half a thou")
    page.locator("form", has=box).get_by_role("button", name="Cancel").click()
    expect(box).to_be_hidden()
    expect(reply(page, comment)).to_have_value("Half a thou")
    expect(page.get_by_label("Your comment")).to_have_value("")


def test_preview_shows_in_the_form_and_sends_nothing(
    as_bob: Page, comment: Comment, script: bool
) -> None:
    page = as_bob
    visit(page, comment.post.get_absolute_url())
    before = page.url
    box = reply(page, comment)
    box.fill("Not in *nylon*.")
    page.locator("form", has=box).get_by_role("button", name="Preview").click()
    expect(page.locator("#preview em")).to_have_text("nylon")
    expect(box).to_have_value("Not in *nylon*.")
    assert (page.url == before) is script
    assert Comment.objects.count() == 1
    page.locator("form", has=box).get_by_role("button", name="Send").click()
    expect(page.locator(".replies .replies em")).to_have_text("nylon")


def test_refused_preview_says_why_next_to_the_buttons(as_bob: Page, comment: Comment) -> None:
    page = as_bob
    visit(page, comment.post.get_absolute_url())
    box = open_box(page)
    box.fill("Words.")
    address = f"**/p/{comment.post_id}/comment"
    refusal = {"status": 429, "content_type": "text/plain", "body": "Try again in 3 seconds."}
    page.route(address, lambda route: route.fulfill(**refusal))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Try again in 3 seconds.")).to_be_visible()
    expect(box).to_have_value("Words.")
    page.unroute(address)


def test_comment_on_question_uses_the_small_form(as_bob: Page, ada: User, script: bool) -> None:
    page, asked = as_bob, post(ada, "Why knots?", kind=Post.Kind.QUESTION)
    answer = add_comment(ada, asked, "Because.")
    visit(page, asked.get_absolute_url())
    page.get_by_text("Comment on the question").click()
    page.get_by_label("Your comment").fill("Which ones?")
    page.locator(".remarks").get_by_role("button", name="Send").click()
    expect(page.locator(".remarks .prose")).to_have_text("Which ones?")
    expect(page.locator(".talk .prose").first).to_have_text("Because.")
    if script:
        page.locator(f"#comment-{answer.pk} .actions").get_by_text("comment", exact=True).click()
        expect(page.locator(".talk .thread").get_by_label("Your comment")).to_be_focused()
        page.get_by_text("Comment on the question").click()
        expect(page.locator(".remarks textarea")).to_have_value("")


def test_comment_of_blocked_person_opens_on_click(
    as_bob: Page, bob: User, ada: User, comment: Comment, script: bool
) -> None:
    page = as_bob
    visit(page, "/u/ada/")
    page.get_by_role("button", name="Block ada").click()
    expect(page.get_by_text("You blocked ada.")).to_be_visible()
    for address, line in (
        ("/", "Post by ada, whom you blocked"),
        (comment.post.get_absolute_url(), "Comment by ada, whom you blocked"),
        ("/comments", "Comment by ada, whom you blocked"),
    ):
        visit(page, address)
        inside = page.locator(".blocked article")
        expect(inside).to_be_hidden()
        page.get_by_text(line).click()
        expect(inside).to_be_visible()
