"""On a phone, a banned person can't post but keeps the typed text, and can write to moderators."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from forum.models import Post, User
from forum.moderation.actions import sanctions
from tests.browser.pages import PHONE, arrow, row, visit
from tests.forum.factories import person, post

pytestmark = pytest.mark.long


@pytest.fixture
def written(ada: User) -> Post:
    """A post by Ada."""
    return post(ada, "Knots")


@pytest.fixture
def stella(bob: User) -> User:
    """A moderator of the site, who has banned Bob for three days."""
    stella = person("stella", is_staff=True)
    until = timezone.now() + timedelta(days=3)
    sanctions.ban(bob, None, by=stella, reason="Rude", until=until)
    return stella


def test_refused_vote_says_why_and_where_to_appeal(
    as_bob: Page, written: Post, stella: User, script: bool
) -> None:
    page = as_bob
    page.set_viewport_size(PHONE)
    visit(page, "/new")
    arrow(page, written, "up").click()
    place = row(page, written).locator("xpath=../..") if script else page.locator("main")
    expect(place).to_contain_text("Reason: Rude")
    page.get_by_role("link", name="Write to the moderators").click()
    expect(page.get_by_label("Your message")).to_be_visible()
