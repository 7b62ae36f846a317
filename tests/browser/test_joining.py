"""On a phone, people apply for an account or use an invitation, and admins appoint moderators."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from forum.actions.policy import policy
from forum.models import Invitation, SitePolicy, User
from forum.queries import group_moderators
from tests.browser.pages import PHONE, expect_sound, visit
from tests.forum.factories import PASSWORD, groups, person

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _small_caches() -> Iterator[None]:
    group_moderators.forget_all()
    yield
    policy.forget()
    group_moderators.forget_all()


def set_policy(**settings: Any) -> None:
    SitePolicy.objects.update_or_create(pk=SitePolicy.ONLY, defaults=settings)
    policy.forget()


def fill_in(page: Page, name: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)


def test_applicant_waits_until_a_moderator_admits_them(
    page: Page, log_in: Callable[[User], None], script: bool
) -> None:
    set_policy(sign_up="application", question="Which knot is best?")
    page.set_viewport_size(PHONE)
    visit(page, "/accounts/signup/")
    expect_sound(page, script)
    expect(page.get_by_label("Leave this empty")).not_to_be_in_viewport()
    fill_in(page, "eve")
    page.get_by_label("Which knot is best?").fill("The bowline.")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_text("Until they accept it, you can only read.")).to_be_visible()
    eve = User.objects.get()
    log_in(person("stella", is_staff=True))
    visit(page, "/moderation")
    expect(page.get_by_text("The bowline.")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("button", name="Admit").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    eve.refresh_from_db()
    assert not eve.is_applicant


def test_member_invites_somebody_who_joins(
    page: Page, log_in: Callable[[User], None], script: bool
) -> None:
    set_policy(sign_up="invitation")
    page.set_viewport_size(PHONE)
    visit(page, "/accounts/signup/")
    expect(page.get_by_text("if a member invites you")).to_be_visible()
    expect_sound(page, script)
    stella = person("stella", is_staff=True)
    log_in(stella)
    visit(page, "/u/stella/")
    page.get_by_role("link", name="Invitations").last.click()
    for _ in range(2):
        page.get_by_role("button", name="Create an invitation").click()
        expect(page.get_by_text("Here is your invitation.")).to_be_visible()
    expect_sound(page, script)
    if script:
        page.context.grant_permissions(["clipboard-write", "clipboard-read"])
        page.get_by_role("button", name="Copy").first.click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
    else:
        expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.get_by_role("button", name="Revoke").first.click()
    expect(page.get_by_text("Revoked", exact=True)).to_be_visible()
    code = Invitation.objects.get(revoked_at=None).code
    page.context.clear_cookies()
    visit(page, f"/accounts/signup/?invitation={code}")
    fill_in(page, "b")
    page.get_by_role("button", name="Sign up").click()
    fill_in(page, "bob")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_text("Welcome, bob.")).to_be_visible()
    for path in ("/invitations/tree", "/u/bob/invited", "/u/stella/invited"):
        visit(page, path)
        expect_sound(page, script)
    expect(page.get_by_role("main").get_by_role("link", name="bob")).to_be_visible()


def test_admin_chooses_a_moderator_and_undoes_it(
    page: Page, bob: User, log_in: Callable[[User], None], script: bool
) -> None:
    groups("books")
    page.set_viewport_size(PHONE)
    log_in(person("root", is_staff=True, is_superuser=True))
    visit(page, "/g/books/")
    page.get_by_role("link", name="About the moderators").click()
    page.get_by_label("User name").fill("bob")
    page.get_by_role("button", name="Make moderator").click()
    expect(page.get_by_role("main").get_by_role("link", name="bob", exact=True)).to_be_visible()
    page.get_by_role("button", name="Let the group's moderators choose other moderators").click()
    expect(page.get_by_text("The group's moderators can choose other moderators.")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("link", name="Remove bob").click()
    expect_sound(page, script)
    page.get_by_label("Reason").fill("Inactive")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Undo").click()
    visit(page, "/g/books/moderators")
    expect(page.get_by_role("main").get_by_role("link", name="bob", exact=True)).to_be_visible()
