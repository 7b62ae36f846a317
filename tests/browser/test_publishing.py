"""People submit links, texts and questions. After an error, the form still has the typed text."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import Post
from tests.browser.pages import expect_vote
from tests.forum.factories import groups

pytestmark = pytest.mark.usefixtures("_books_and_maths")


@pytest.fixture
def _books_and_maths() -> None:
    groups("books", "maths")


def publish(page: Page) -> Post:
    """Submit the form and return the new post."""
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url("**/p/**")
    return Post.objects.latest("pk")


def test_link_is_published_and_leads_to_its_url(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/")
    page.get_by_role("link", name="Submit").click()
    page.get_by_label("Title").fill("A good page")
    page.get_by_label("URL").fill("example.org/good?utm_source=x")
    page.get_by_label("Books").check()
    page.get_by_label("Maths").check()
    written = publish(page)
    expect_vote(page, written, "up", 1)
    link = page.get_by_role("heading").get_by_role("link", name="A good page")
    expect(link).to_have_attribute("href", written.url)
    expect(page.get_by_text(written.url, exact=True)).to_be_visible()
    expect(link).to_have_attribute("rel", "ugc nofollow noopener")
    page.goto("/g/maths/")
    expect_vote(page, written, "up", 1)


@pytest.mark.parametrize("kind", ["Text", "Question"])
def test_a_text_or_question_is_published_as_markdown(as_ada: Page, script: bool, kind: str) -> None:
    page = as_ada
    page.goto("/submit")
    page.get_by_role("radio", name=kind).check()
    page.get_by_label("Title").fill("Something I thought")
    page.get_by_label("Text", exact=True).fill("It is *so*.\n\n- one\n- two")
    page.get_by_label("Books").check()
    publish(page)
    expect(page.locator(".prose em")).to_have_text("so")
    expect(page.locator(".prose").get_by_role("listitem")).to_have_text(["one", "two"])
    label = page.get_by_text("(question)")
    expect(label).to_have_count(1 if kind == "Question" else 0)


def test_form_asks_for_url_only_for_links(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/submit")
    address = page.get_by_label("URL")
    for kind, asked in (("Text", False), ("Link", True), ("Question", False)):
        page.get_by_role("radio", name=kind).check()
        expect(address).to_be_visible(visible=asked)
    page.get_by_role("radio", name="Link").check()
    address.fill("example.org")
    page.get_by_role("radio", name="Question").check()
    expect(address, "what was written there is not hidden").to_be_visible()


def test_enter_in_a_field_shows_a_preview_and_publishes_nothing(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/submit")
    page.get_by_label("URL").fill("https://example.org/a")
    page.get_by_label("Books").check()
    page.get_by_label("Title").fill("Not finished ye")
    page.get_by_label("Title").press("Enter")
    expect(page.locator("#preview")).to_contain_text("Not finished ye")
    assert not Post.objects.exists()
    page.get_by_label("Title").fill("Finished")
    assert publish(page).title == "Finished"
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Title").fill("Finished, almos")
    page.get_by_label("Title").press("Enter")
    expect(page.locator("#preview")).to_contain_text("Finished, almos")
    assert Post.objects.get().title == "Finished"


def test_url_left_in_the_field_does_not_block_a_question(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/submit")
    page.get_by_label("URL").fill("not an address")
    page.get_by_role("radio", name="Question").check()
    page.get_by_label("Title").fill("What is it?")
    page.get_by_label("Books").check()
    assert publish(page).url == ""
    expect(page.get_by_text("“not an address” was left out")).to_be_visible()


def test_refused_form_keeps_its_text_and_shows_the_reasons(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/submit")
    page.get_by_label("Title").fill("Wh")
    page.get_by_label("URL").fill("https://example.org/")
    page.get_by_role("radio", name="Question").check()
    page.get_by_label("Text", exact=True).fill("I wonder, *really*.\nDo you?")
    page.get_by_label("Maths").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_contain_text("Please correct the errors below.")
    title, address = page.get_by_label("Title"), page.get_by_label("URL")
    if script:
        expect(title).to_be_focused()
    expect(title).to_have_accessible_description("The title must have at least 3 characters.")
    expect(page.get_by_role("radio", name="Question")).to_be_checked()
    expect(title).to_have_value("Wh")
    expect(address).to_have_value("https://example.org/")
    expect(page.get_by_label("Text", exact=True)).to_have_value("I wonder, *really*.\nDo you?")
    expect(page.get_by_label("Maths")).to_be_checked()
    title.fill("What is it?")
    address.fill("")
    assert publish(page).title == "What is it?"


def test_a_preview_shows_the_text_and_keeps_the_form(as_ada: Page, script: bool) -> None:
    page = as_ada
    page.goto("/submit")
    page.get_by_role("radio", name="Text").check()
    page.get_by_label("Text", exact=True).fill("**Bold** as that")
    page.get_by_label("Books").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview strong")).to_have_text("Bold")
    expect(page.locator("#preview")).to_be_in_viewport()
    expect(page.get_by_label("Text", exact=True)).to_have_value("**Bold** as that")
    expect(page.get_by_label("Books")).to_be_checked()
    page.get_by_label("Title").fill("Kept through a preview")
    publish(page)
    expect(page.locator(".prose strong")).to_have_text("Bold")
