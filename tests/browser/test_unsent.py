"""With JavaScript, the browser saves unsent text, and the form restores it later."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from forum.models import Post, User
from tests.browser.pages import open_box
from tests.forum.factories import groups, post

pytestmark = pytest.mark.parametrize("script", [True], ids=["script"])


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Which knot?")


def test_unsent_comment_is_restored_until_it_is_sent(
    as_bob: Page, knots: Post, script: bool
) -> None:
    page, box = as_bob, as_bob.get_by_label("Your comment")
    page.goto(knots.get_absolute_url())
    open_box(page)
    box.fill("Half a thought")
    page.get_by_role("link", name="Groups").first.click()
    page.goto(knots.get_absolute_url())
    expect(box).to_have_value("Half a thought")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("Half a thought")
    page.goto(knots.get_absolute_url())
    box.fill("A whole thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("A whole thought")
    expect(box).to_be_empty()
    page.goto(knots.get_absolute_url())
    expect(box).to_be_empty()


def test_unsent_post_is_restored_for_its_author_only(
    as_bob: Page, log_in: Callable[[User], None], ada: User, script: bool
) -> None:
    page, title, text = (
        as_bob,
        as_bob.get_by_label("Title"),
        as_bob.get_by_role("textbox", name="Text"),
    )
    groups("books", "maths")
    page.goto("/submit?group=maths")
    page.get_by_label("Question:").check()
    page.get_by_label("Books").check()
    title.fill("Half a title")
    text.fill("Half a text")
    for _again in range(2):
        page.goto("/about")
        page.goto("/submit")
        expect(title).to_have_value("Half a title")
        expect(text).to_have_value("Half a text")
        expect(page.get_by_label("Question:")).to_be_checked()
        expect(page.get_by_label("Books")).to_be_checked()
        expect(page.get_by_label("Maths")).to_be_checked()
    page.context.clear_cookies()
    log_in(ada)
    page.goto("/submit")
    expect(title).to_be_empty()
    expect(text).to_be_empty()


def test_group_of_url_is_not_combined_with_groups_of_draft(as_bob: Page, script: bool) -> None:
    page, ticked = as_bob, as_bob.locator("[name=groups]:checked")
    names = groups("books", "cooking", "maths", "science")
    page.goto("/submit")
    page.get_by_label("Title").fill("Half a title")
    for name in ("Cooking", "Maths", "Science"):
        page.get_by_label(name).check()
    page.goto("/submit?group=books")
    expect(page.get_by_label("Title")).to_have_value("Half a title")
    expect(page.get_by_label("Books")).to_be_checked()
    expect(ticked, f"of {names} no more than the address says").to_have_count(1)
    page.goto("/submit")
    expect(page.get_by_label("Books")).not_to_be_checked()
    expect(ticked).to_have_count(3)


def test_text_sent_while_offline_is_restored(
    as_bob: Page, knots: Post, script: bool, complaints: list[str]
) -> None:
    page, box = as_bob, as_bob.get_by_label("Your comment")
    page.goto(knots.get_absolute_url())
    open_box(page)
    box.fill("A thought on the train")
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)
    complaints.clear()
    page.goto(knots.get_absolute_url())
    expect(box).to_have_value("A thought on the train")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("A thought on the train")
    expect(box).to_be_empty()


def test_text_sent_while_offline_is_restored_in_a_new_tab(
    as_bob: Page, knots: Post, script: bool, complaints: list[str]
) -> None:
    other = as_bob.context.new_page()
    other.goto(knots.get_absolute_url())
    open_box(other).fill("A thought on the train")
    as_bob.context.set_offline(True)
    other.get_by_role("button", name="Send").click()
    other.wait_for_url("chrome-error://**")
    other.close()
    as_bob.context.set_offline(False)
    complaints.clear()
    page, box = as_bob, as_bob.get_by_label("Your comment")
    page.goto(knots.get_absolute_url())
    expect(box).to_have_value("A thought on the train")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("A thought on the train")
    third = page.context.new_page()
    third.goto(knots.get_absolute_url())
    expect(third.get_by_label("Your comment")).to_be_empty()
    third.close()


def test_text_sent_in_one_tab_is_no_draft_in_another(
    as_bob: Page, knots: Post, script: bool
) -> None:
    first, box = as_bob, as_bob.get_by_label("Your comment")
    first.goto(knots.get_absolute_url())
    open_box(first)
    box.fill("Half a thought")
    first.goto("/about")
    first.goto(knots.get_absolute_url())
    expect(box).to_have_value("Half a thought")
    second = first.context.new_page()
    second.goto(knots.get_absolute_url())
    expect(second.get_by_label("Your comment")).to_have_value("Half a thought")
    second.get_by_role("button", name="Send").click()
    expect(second.locator(".comment .prose")).to_have_text("Half a thought")
    second.close()
    first.goto(knots.get_absolute_url())
    expect(first.locator(".comment .prose")).to_have_text("Half a thought")
    expect(box).to_be_empty()


def test_each_tab_keeps_its_own_draft(as_bob: Page, script: bool) -> None:
    first, second = as_bob, as_bob.context.new_page()
    for page, title in ((first, "Knots"), (second, "Bread")):
        page.goto("/submit")
        page.get_by_label("Title").fill(title)
    for page in (first, second):
        page.goto("/about")
    for page, title in ((first, "Knots"), (second, "Bread")):
        page.goto("/submit")
        expect(page.get_by_label("Title")).to_have_value(title)
    second.close()


def test_drafts_of_another_person_and_old_ones_are_deleted(
    as_bob: Page, log_in: Callable[[User], None], ada: User, script: bool
) -> None:
    page, title = as_bob, as_bob.get_by_label("Title")
    drafts = "Object.keys(localStorage).filter((key) => key.startsWith('unsent ')).length"
    page.goto("/submit")
    title.fill("Half a title")
    page.goto("/about")
    assert page.evaluate(drafts) == 1
    log_in(ada)
    page.goto("/about")
    assert page.evaluate(drafts) == 0
    page.goto("/submit")
    title.fill("Half a title")
    page.goto("/about")
    page.evaluate("sessionStorage.clear()")
    page.goto("/submit")
    expect(title).to_have_value("Half a title")
    page.evaluate(
        "for (const key of Object.keys(localStorage))"
        " localStorage[key] = localStorage[key]"
        ".replace(/at=[0-9]+$/, `at=${Date.now() - 31 * 864e5}`)"
    )
    page.goto("/submit")
    expect(title).to_be_empty()


def test_draft_is_labelled_and_can_be_discarded(as_bob: Page, script: bool) -> None:
    page, notice = as_bob, as_bob.get_by_text("This is an unpublished draft")
    page.goto("/submit")
    expect(notice).not_to_be_visible()
    page.get_by_label("Title").fill("Half a title")
    page.goto("/about")
    page.goto("/submit")
    expect(notice).to_be_visible()
    page.get_by_role("button", name="Discard draft").click()
    for _again in range(2):
        expect(page.get_by_label("Title")).to_be_empty()
        expect(notice).not_to_be_visible()
        page.goto("/submit")
    assert not Post.objects.exists()


def test_form_is_empty_after_publishing_and_going_back(as_bob: Page, script: bool) -> None:
    page = as_bob
    groups("books")
    page.goto("/submit")
    page.get_by_label("Question:").check()
    page.get_by_label("Title").fill("Which knot?")
    page.get_by_label("Books").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Which knot?")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Title")).to_be_empty()
    expect(page.get_by_text("This is an unpublished draft")).not_to_be_visible()


def test_comment_box_is_empty_after_sending_and_going_back(
    as_bob: Page, knots: Post, script: bool
) -> None:
    page, box = as_bob, as_bob.get_by_label("Your comment")
    page.goto(knots.get_absolute_url())
    open_box(page)
    box.fill("A whole thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("A whole thought")
    page.go_back()
    expect(box).to_be_empty()
    page.goto("/about")
    page.goto(knots.get_absolute_url())
    expect(page.locator(".comment .prose")).to_have_text("A whole thought")
    expect(box).to_be_empty()


def test_text_filled_in_by_url_is_not_taken_for_a_draft(as_bob: Page, script: bool) -> None:
    page, title, text = (
        as_bob,
        as_bob.get_by_label("Title"),
        as_bob.get_by_role("textbox", name="Text"),
    )
    page.goto("/submit?title=Theirs")
    page.goto("/submit")
    expect(title).to_be_empty()
    title.fill("Mine")
    page.goto("/submit?url=https://example.org/")
    expect(title, "of another post").to_be_empty()
    page.goto("/submit")
    expect(title).to_have_value("Mine")
    expect(text).to_be_empty()


def test_form_without_groups_leads_to_them(as_bob: Page, script: bool) -> None:
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
