"""Authors edit and delete their posts, change a post's groups, and read why it has its rank."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from forum.models import Post, User
from tests.browser.pages import row, too_wide
from tests.forum.factories import post

pytestmark = pytest.mark.long


def test_author_edits_a_post(as_ada: Page, ada: User, script: bool) -> None:
    page, written = as_ada, post(ada, "A titel")
    page.goto(written.get_absolute_url())
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Title")).to_have_value("A titel")
    page.get_by_label("Title").fill("A title")
    page.get_by_label("Text", exact=True).fill("Changed *text*.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Your changes were saved.")
    expect(page.get_by_role("heading", name="A title")).to_be_visible()
    expect(page.locator(".prose em")).to_have_text("text")
    assert page.url.endswith("/a-title")
    page.goto("/")
    expect(row(page, written).get_by_role("heading")).to_have_text("A title")


def test_saving_after_preview_redirects_to_the_plain_url(
    as_ada: Page, ada: User, script: bool
) -> None:
    page, written = as_ada, post(ada, "A titel")
    page.goto(f"/p/{written.pk}/edit")
    page.get_by_label("Title").fill("A title")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview h3")).to_have_text("A title")
    expect(page.locator("#preview")).to_be_in_viewport()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Your changes were saved.")
    assert page.url.endswith("/a-title"), "the URL doesn't lead to the preview"


def test_edit_form_shows_long_url_completely_on_a_phone(as_ada: Page, ada: User) -> None:
    page, written = as_ada, post(ada, kind="link", url="https://example.org/" + "a" * 600)
    too_late_to_correct = timezone.now() - timedelta(hours=2)
    Post.objects.filter(pk=written.pk).update(created_at=too_late_to_correct)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"/p/{written.pk}/edit")
    weight = "label => getComputedStyle(label).fontWeight"
    named, changed = page.get_by_text("URL", exact=True), page.get_by_text("Title", exact=True)
    assert named.evaluate(weight) == changed.evaluate(weight)
    expect(page.get_by_role("link", name=written.url)).to_be_visible()
    assert not too_wide(page)
