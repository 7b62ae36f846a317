"""Pages that show comments as a flat list, newest first, instead of as threads."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from forum.actions import comments as comment_actions
from forum.models import User
from tests.browser.pages import axe_violations, too_wide, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post

pytestmark = pytest.mark.long

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


def test_reader_goes_from_thread_to_newest_comments_and_back(
    page: Page, ada: User, bob: User, settings: Any, script: bool
) -> None:
    settings.PAGE_SIZE = 3
    written = post(ada)
    comments = [add_comment(bob, written, f"Remark {number}.") for number in range(5)]
    visit(page, written.get_absolute_url())
    page.get_by_role("link", name="Newest comments (flat view)").click()
    texts = page.locator("article .prose")
    expect(texts).to_have_text(["Remark 4.", "Remark 3.", "Remark 2."])
    add_comment(ada, written, "Written meanwhile.")
    page.get_by_role("link", name="Older").click()
    expect(texts).to_have_text(["Remark 1.", "Remark 0."])
    page.get_by_role("link", name="Newest", exact=True).click()
    expect(texts.first).to_have_text("Written meanwhile.")
    page.get_by_role("link", name="Older").click()
    page.locator(f"#comment-{comments[1].pk} time").click()
    assert page.url.endswith(comments[1].get_absolute_url())


def test_deleted_comment_is_gone_and_edited_one_is_current(
    page: Page, ada: User, bob: User, script: bool
) -> None:
    written = post(ada)
    gone, changed = add_comment(bob, written, "Gone."), add_comment(bob, written, "Before.")
    visit(page, f"/p/{written.pk}/comments")
    comment_actions.delete(gone, by=bob)
    comment_actions.change(changed, "After.")
    for address in (f"/p/{written.pk}/comments", "/comments"):
        visit(page, address)
        expect(page.locator("article .prose")).to_have_text(["After."])


def test_newest_comments_of_site_are_linked_and_lead_to_their_posts(
    page: Page, ada: User, bob: User, script: bool
) -> None:
    written = post(ada, "What to read")
    add_comment(bob, written, "This.")
    visit(page, "/")
    page.get_by_role("link", name="Newest comments").click()
    expect(page.get_by_role("heading", name="Newest comments")).to_be_visible()
    page.locator("article").get_by_role("link", name="What to read").click()
    expect(page.get_by_role("heading", name="What to read")).to_be_visible()


def test_newest_comments_fit_every_screen(page: Page, ada: User, bob: User) -> None:
    written = post(ada, LONG)
    first = add_comment(bob, written, f"{LONG} https://example.org/{LONG}{LONG}\n\n    code {LONG}")
    add_comment(ada, written, "> quoted\n\nA reply with `code`.", to=first)
    for address in (f"/p/{written.pk}/comments", "/comments", "/comments?before=1"):
        visit(page, address)
        for width in (1280, 320):
            page.set_viewport_size({"width": width, "height": 640})
            wide = too_wide(page)
            assert not wide, f"{address} at {width}: {wide}"
        found = axe_violations(page)
        assert not found, f"{address} {found}"
