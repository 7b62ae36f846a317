"""On a phone, a banned person can't post but keeps the typed text, and can write to moderators."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from forum.models import Conversation, Post, User
from forum.moderation.actions import sanctions
from tests.browser.pages import PHONE, arrow, expect_sound, row, visit
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


def test_refused_comment_keeps_its_text_and_leads_to_an_appeal(
    as_bob: Page, written: Post, stella: User, log_in: Callable[[User], None], script: bool
) -> None:
    page = as_bob
    page.set_viewport_size(PHONE)
    visit(page, written.get_absolute_url())
    page.get_by_label("Your comment").fill("Reef knots hold.")
    page.get_by_role("button", name="Send").click()
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("Reason: Rude")
    expect(page.get_by_label("Your comment")).to_have_value("Reef knots hold.")
    expect_sound(page, script)
    refusal.get_by_role("link", name="Write to the moderators").click()
    expect(page.locator(".message")).to_contain_text("Reason: Rude")
    expect_sound(page, script)
    page.get_by_label("Your message").fill("I was **tired**.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message strong").last).to_have_text("tired")
    expect(page.locator(".tag")).to_have_text("open")
    log_in(stella)
    visit(page, "/moderation/conversations")
    expect_sound(page, script)
    page.get_by_role("link", name="bob").click()
    page.get_by_label("Your message").fill("It ends on Friday.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".tag")).to_have_text("answered by moderators")
    assert Conversation.objects.get().state == Conversation.State.ANSWERED


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


def test_moderator_bans_on_the_record_and_person_sees_it(
    page: Page, bob: User, log_in: Callable[[User], None], script: bool
) -> None:
    page.set_viewport_size(PHONE)
    log_in(person("stella", is_staff=True))
    visit(page, "/u/bob/")
    page.get_by_role("link", name="Record").click()
    expect_sound(page, script)
    page.get_by_role("link", name="Ban", exact=True).click()
    expect_sound(page, script)
    page.get_by_label("Reason").fill("Rude")
    page.get_by_role("button", name="Ban").click()
    expect(page.locator(".notice.bad")).to_contain_text("Banned from")
    page.get_by_label("New note").fill("Second account?")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".panel").first).to_contain_text("Second account?")
    expect_sound(page, script)
    log_in(bob)
    visit(page, "/conversations/actions")
    expect(page.locator(".panel")).to_contain_text("Reason: Rude")
    expect_sound(page, script)
