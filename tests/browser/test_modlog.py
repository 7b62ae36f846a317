"""On a phone, people read the moderation log, and moderators undo actions there."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from forum.models import ModAction, Post, User
from forum.moderation.actions import bulk
from tests.browser.pages import PHONE, SLOWER, expect_sound, visit
from tests.forum.factories import post

pytestmark = pytest.mark.long


@pytest.fixture
def removed(bob: User, stella: User) -> ModAction:
    """Two posts by Bob that a moderator removed with one bulk action."""
    for number in (1, 2):
        post(bob, f"Pills {number}")
    now = timezone.now()
    action = bulk.remove_everything(
        bob, group=None, since=now - timedelta(hours=1), until=now, by=stella, reason="Spam"
    )
    for _ in range(2):
        bulk.do_batch(action.pk)
    return action


def test_bulk_action_expands_and_is_undone(
    page: Page, stella: User, removed: ModAction, log_in: Callable[[User], None], script: bool
) -> None:
    page.set_viewport_size(PHONE)
    cache.clear()
    visit(page, "/")
    page.get_by_role("link", name="Moderation log").click()
    entry = page.locator(f"#action-{removed.pk}")
    expect(entry.get_by_text("Everything removed")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(entry.get_by_text("Pills 1")).to_be_hidden()
    entry.get_by_text("Show what this action removed").click()
    expect(entry.get_by_text("Pills 1")).to_be_visible()
    expect_sound(page, script)
    log_in(stella)
    visit(page, removed.get_absolute_url())
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.wait_for_timeout(SLOWER)  # until then, buttons ignore clicks
    page.locator("main > .panel").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The action was undone.", exact=True)).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect_sound(page, script)
    for _ in range(2):
        bulk.do_batch(removed.pk)
    page.get_by_role("link", name="Show the latest").click()
    expect(page.get_by_text("2 of 2 restored")).to_be_visible()
    assert Post.objects.visible().count() == 2
