"""Texts that weren't sent are drafts, which their authors find again in any browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from forum.config import rate_limits
from forum.models import Comment, Draft, Post, User
from tests.browser.pages import comment_box, expect_sound
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post, session_of
from tests.waiting import until
from voting.types.limits import Window

SAVED = "Draft saved"
OFFER = "You have a draft from just now."


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Which knot?")


def other_browser(page: Page, user: User, base_url: str) -> Page:
    """Return a page in another browser in which the same person is logged in."""
    assert page.context.browser
    context = page.context.browser.new_context(base_url=base_url, locale="en-GB")
    context.add_cookies([{"name": "sessionid", "value": session_of(user), "url": base_url}])
    return context.new_page()


def test_comment_is_typed_in_one_browser_and_sent_from_another(
    as_bob: Page, knots: Post, bob: User, base_url: str
) -> None:
    as_bob.goto(knots.get_absolute_url())
    comment_box(as_bob).fill("Half a thought")
    expect(as_bob.get_by_text(SAVED)).to_be_visible()
    phone = other_browser(as_bob, bob, base_url)
    phone.goto(knots.get_absolute_url())
    expect(phone.get_by_text(OFFER)).to_be_visible()
    expect(comment_box(phone)).to_be_empty()
    phone.get_by_role("link", name="Restore").click()
    expect(comment_box(phone)).to_have_value("Half a thought")
    comment_box(phone).fill("A whole thought")
    phone.get_by_role("button", name="Send").click()
    expect(phone.locator(".comment .prose")).to_have_text("A whole thought")
    phone.context.close()
    as_bob.goto(knots.get_absolute_url())
    expect(as_bob.locator(".comment .prose")).to_have_text("A whole thought")
    expect(as_bob.get_by_text(OFFER)).not_to_be_visible()
    assert not Draft.objects.exists()


def test_draft_that_is_open_on_two_devices_keeps_both_texts(
    as_bob: Page, knots: Post, bob: User, base_url: str
) -> None:
    desktop, phone = as_bob, other_browser(as_bob, bob, base_url)
    desktop.goto(knots.get_absolute_url())
    comment_box(desktop).fill("One.")
    expect(desktop.get_by_text(SAVED)).to_be_visible()
    for page in (desktop, phone):
        page.goto("/u/bob/drafts")
        page.get_by_role("link", name="Continue").click()
    comment_box(phone).fill("One.\n\nTwo.")
    expect(phone.get_by_text(SAVED)).to_be_visible()
    comment_box(desktop).fill("One word.")
    expect(desktop.get_by_text("Saved as another draft")).to_be_visible()
    comment_box(desktop).fill("One more word.")
    expect(desktop.get_by_text(SAVED)).to_be_visible()
    phone.context.close()
    assert {draft.body for draft in Draft.objects.all()} == {"One.\n\nTwo.", "One more word."}


def test_preview_keeps_a_draft(as_bob: Page, knots: Post, script: bool) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
    comment_box(page).fill("Half a thought")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("Half a thought")
    if script:
        expect(page.get_by_text(SAVED)).to_be_visible()
    page.goto(knots.get_absolute_url())
    expect(page.get_by_text(OFFER)).to_be_visible()
    page.get_by_role("link", name="Restore").click()
    expect(page.get_by_text("This is your draft from just now.")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("Half a thought")
    assert not Draft.objects.exists()


def test_new_post_is_found_in_the_list_of_drafts(as_bob: Page, bob: User, script: bool) -> None:
    page, title = as_bob, as_bob.get_by_label("Title")
    groups("books", "maths")
    page.goto("/submit?group=maths")
    page.get_by_label("Question:").check()
    title.fill("Half a title")
    page.get_by_role("textbox", name="Text").fill("Half a text")
    if script:
        expect(page.get_by_text(SAVED)).to_be_visible()
    else:
        page.get_by_role("button", name="Preview").click()
    page.goto("/u/bob/")
    page.get_by_role("link", name="Drafts").click()
    expect(page.get_by_role("heading", name="Half a title")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("link", name="Continue").click()
    expect(title).to_have_value("Half a title")
    expect(page.get_by_role("textbox", name="Text")).to_have_value("Half a text")
    expect(page.get_by_label("Question:")).to_be_checked()
    expect(page.get_by_label("Maths")).to_be_checked()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Half a title")).to_be_visible()
    page.goto("/u/bob/drafts")
    expect(page.get_by_text("You have no drafts.")).to_be_visible()


def test_draft_is_deleted_where_it_is_offered(as_bob: Page, script: bool) -> None:
    page = as_bob
    Draft.objects.create(
        author=User.objects.get(username="bob"),
        key="0" * 16,
        title="Half a title",
        updated_at="2026-01-01T00:00:00Z",
    )
    page.goto("/submit")
    page.get_by_role("button", name="Delete draft").click()
    expect(page.get_by_text("The draft was deleted.")).to_be_visible()
    expect(page.get_by_role("link", name="Restore")).not_to_be_visible()
    assert not Draft.objects.exists()


def test_each_tab_keeps_its_own_draft(as_bob: Page) -> None:
    first, second = as_bob, as_bob.context.new_page()
    for page, title in ((first, "Knots"), (second, "Bread")):
        page.goto("/submit")
        page.get_by_label("Title").fill(title)
        expect(page.get_by_text(SAVED)).to_be_visible()
    second.close()
    first.goto("/u/bob/drafts")
    for title in ("Knots", "Bread"):
        expect(first.get_by_role("heading", name=title)).to_be_visible()


def test_reply_that_was_left_is_offered_in_its_form(as_bob: Page, knots: Post, ada: User) -> None:
    page, comment = as_bob, add_comment(ada, knots, "Reef knots hold.")
    reply = page.locator(f"#comment-{comment.pk} .actions").get_by_text("reply", exact=True)
    page.goto(knots.get_absolute_url())
    reply.click()
    page.get_by_label("Your reply").fill("Not in nylon")
    expect(page.get_by_text(SAVED)).to_be_visible()
    page.reload()
    offer = page.get_by_text("You have a draft of a reply to ada from just now.")
    expect(offer).to_be_visible()
    reply.click()
    expect(page.locator(".thread form").get_by_text("You have a draft of a reply")).to_be_visible()
    page.get_by_role("link", name="Restore").click()
    expect(page.get_by_label("Your reply")).to_have_value("Not in nylon")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".replies .replies .prose")).to_have_text("Not in nylon")
    assert not Draft.objects.exists()


def test_text_is_saved_when_the_page_is_left_before_a_pause(as_bob: Page, knots: Post) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
    comment_box(page).fill("A sudden end")
    page.get_by_role("link", name="Groups").first.click()
    until(Draft.objects.exists, "the draft is saved")
    page.goto("/u/bob/drafts")
    expect(page.get_by_text("A sudden end")).to_be_visible()


def test_comment_that_is_refused_stays_in_its_form_and_a_draft(
    as_bob: Page, knots: Post, settings: Any, script: bool
) -> None:
    page = as_bob
    settings.LIMITS = rate_limits.everybody() | {"comment": (Window(1, 600),)}
    settings.LIMITS_NEW = settings.LIMITS
    for text in ("The first", "The second"):
        page.goto(knots.get_absolute_url())
        comment_box(page).fill(text)
        if text == "The second":
            page.get_by_role("button", name="Preview").click()
            expect(page.locator("#preview")).to_contain_text(text)
            if script:
                expect(page.get_by_text(SAVED)).to_be_visible()
        page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(comment_box(page)).to_have_value("The second")
    assert Comment.objects.get().body == "The first"
    assert Draft.objects.get().body == "The second"


def test_page_warns_only_before_text_is_lost(
    as_bob: Page, knots: Post, bob: User, complaints: list[str]
) -> None:
    page, asked = as_bob, list[str]()

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", agree)
    page.goto(knots.get_absolute_url())
    comment_box(page).press_sequentially("Saved")
    expect(page.get_by_text(SAVED)).to_be_visible()
    page.goto("/about")
    assert not asked
    own = add_comment(bob, knots, "Mine")
    page.goto(f"{own.get_absolute_url()}/edit")
    page.get_by_label("Your comment").press_sequentially("!")
    page.goto("/about")
    assert asked == ["beforeunload"]


def test_button_says_that_text_is_being_sent(as_bob: Page, knots: Post) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
    page.route("**/comment", lambda route: route.fulfill(status=204))  # so that the page stays
    comment_box(page).fill("On a slow line")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("button", name="Sending…")).to_be_disabled()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()


def test_form_is_empty_after_sending_and_going_back(as_bob: Page, knots: Post) -> None:
    page = as_bob
    groups("books")
    page.goto(knots.get_absolute_url())
    comment_box(page).fill("A whole thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("A whole thought")
    page.goto(knots.get_absolute_url())
    expect(comment_box(page)).to_be_empty()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()


def test_form_without_groups_leads_to_them(as_bob: Page) -> None:
    page = as_bob
    groups("books")
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto("/submit")
    page.get_by_label("Text:").check()
    page.get_by_label("Title").fill("A title of mine")
    page.get_by_role("textbox", name="Text").fill("A line.\n" * 20)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("group", name="Groups")).to_be_focused()
    expect(page.get_by_text("Choose one to three groups.", exact=True)).to_be_in_viewport()


def test_draft_of_another_person_is_not_offered(
    as_bob: Page, log_in: Callable[[User], None], ada: User, knots: Post
) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
    comment_box(page).fill("Half a thought")
    expect(page.get_by_text(SAVED)).to_be_visible()
    log_in(ada)
    page.goto(knots.get_absolute_url())
    expect(comment_box(page)).to_be_empty()
    expect(page.get_by_text(OFFER)).not_to_be_visible()
