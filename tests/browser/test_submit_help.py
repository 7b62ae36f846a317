"""The submit form shows a preview, finds earlier posts of the same link, and fills in the title."""

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from forum.config.title_rules import TitleRules
from forum.models import Post, User
from tests.browser.pages import axe_violations, is_marked, mark_document
from tests.forum.factories import groups, post
from tests.forum.test_submit_help import Page as PageElsewhere

pytestmark = pytest.mark.long

KNOWN = "Someone has already posted this link"


@pytest.fixture
def page_elsewhere(settings: Any) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), PageElsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ports = frozenset({server.server_port})
        settings.FETCH_TITLES = True
        settings.TITLE_RULES = TitleRules(is_allowed=lambda _address: True, ports=ports)
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_url_comes_before_title_and_fetches_it(
    as_ada: Page, page_elsewhere: str, script: bool
) -> None:
    page, address, title = as_ada, as_ada.get_by_label("URL"), as_ada.get_by_label("Title")
    groups("books")
    page.goto("/submit")
    mark_document(page)
    assert (address.bounding_box() or {"y": 9e9})["y"] < (title.bounding_box() or {"y": 0})["y"]
    page.get_by_label("Books").check()
    address.fill(page_elsewhere)
    page.get_by_role("button", name="Fetch the page's title").click()
    expect(title).to_have_value("Knots & 绳结")
    expect(address).to_have_value(page_elsewhere)
    expect(page.get_by_label("Books")).to_be_checked()
    assert is_marked(page) is script
    title.press("Enter")
    expect(page.locator("#preview")).to_contain_text("(127.0.0.1)")
    expect(page.locator("#preview").get_by_role("link", name="Books")).to_be_visible()
    page.get_by_label("URL").fill("https://nowhere.invalid/")
    page.get_by_role("button", name="Fetch the page's title").click()
    expect(page.get_by_text("Please enter one yourself.")).to_be_visible()
    expect(title).to_have_value("Knots & 绳结")
    assert not Post.objects.exists()


def test_duplicate_is_reported_before_submitting(as_ada: Page, bob: User, script: bool) -> None:
    page, known = as_ada, post(bob, "Knots", kind="link", url="https://example.org/k", body="")
    page.goto("/submit")
    page.get_by_label("URL").fill("example.org/k?utm_source=x")
    page.get_by_label("Title").fill("Knots again")
    if not script:
        page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text(KNOWN)).to_be_visible()
    expect(page.get_by_role("link", name="Knots", exact=True)).to_have_attribute(
        "href", known.get_absolute_url()
    )
    if script:
        assert not axe_violations(page)
    page.get_by_label("URL").fill("example.org/other")
    page.get_by_label("Title").fill("Another page")
    if not script:
        page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text(KNOWN)).to_have_count(0)


def test_notice_that_moves_the_form_waits_for_a_click_that_is_under_way(
    as_ada: Page, bob: User
) -> None:
    page, books = as_ada, as_ada.get_by_label("Books")
    post(bob, "Knots", kind="link", url="https://example.org/k", body="")
    page.set_viewport_size({"width": 1280, "height": 1000})  # nothing scrolls under the mouse
    page.goto("/submit")
    books.hover()
    page.get_by_label("URL").fill("example.org/k")
    with page.expect_response("**/submit/known?*"):
        page.mouse.down()
    page.wait_for_timeout(300)
    page.mouse.up()
    expect(books).to_be_checked()
    expect(page.get_by_text(KNOWN)).to_be_visible()


def test_characters_are_counted_as_the_site_counts_them(as_ada: Page) -> None:
    page, title = as_ada, as_ada.get_by_label("Title")
    shown = page.locator(".field", has=title).locator(".characters")
    counter = page.locator(".field", has=title).locator(".said")
    groups("books")
    page.goto("/submit")
    expect(shown).to_be_empty()
    for text, many in (("绳结", 2), ("😀 e\u0301", 3), ("  two   words ", 9), ("字" * 201, 201)):
        title.fill(text)
        expect(shown).to_have_text(f"{many} of 200 characters")
    expect(counter).to_have_text("201 of 200 characters")
    page.get_by_role("radio", name="Question").check()
    page.get_by_label("Books").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Too long: 201 characters (maximum 200).")).to_be_visible()
