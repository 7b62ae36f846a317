"""On a phone, members create invitations, and people use them to sign up."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from forum.actions.policy import policy
from forum.models import Invitation, User
from forum.queries import group_moderators
from tests.browser.pages import PHONE, expect_sound, visit
from tests.forum.factories import PASSWORD, person, set_policy

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _small_caches() -> Iterator[None]:
    group_moderators.forget_all()
    yield
    policy.forget()
    group_moderators.forget_all()


def fill_in(page: Page, name: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)


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
    expect(page.get_by_label("Leave this empty")).not_to_be_in_viewport()
    fill_in(page, "b")
    page.get_by_role("button", name="Sign up").click()
    fill_in(page, "bob")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_text("Welcome, bob.")).to_be_visible()
    for path in ("/invitations/tree", "/u/bob/invited", "/u/stella/invited"):
        visit(page, path)
        expect_sound(page, script)
    expect(page.get_by_role("main").get_by_role("link", name="bob")).to_be_visible()
