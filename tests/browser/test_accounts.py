"""People sign up, log in and log out in a browser."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from forum.models import User
from tests.browser.pages import row
from tests.forum.factories import PASSWORD, post


def test_new_person_signs_up_and_is_logged_in(page: Page, script: bool) -> None:
    page.goto("/about")
    page.get_by_role("link", name="Log in").click()
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill("carol")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/about")
    page.get_by_text("carol", exact=True).click()
    page.get_by_role("link", name="Your profile").click()
    expect(page.get_by_role("heading", name="carol")).to_be_visible()
    expect(page.get_by_text("You haven't posted anything yet.")).to_be_visible()
    assert User.objects.get().username == "carol"


def test_taken_name_is_reported_next_to_field_and_form_keeps_its_text(
    page: Page, ada: User, script: bool
) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("User name").fill("Ada")
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    name = page.get_by_label("User name")
    expect(name).to_have_value("Ada")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_accessible_description(
        "2 to 30 letters (A to Z), digits, - or _, beginning with a letter or digit. "
        "Shown to everyone. You can change it once a year. "
        "That user name is taken. Please choose another one."
    )
    expect(page.get_by_label("Email")).to_have_value("ada@example.org")


def test_log_in_returns_to_the_same_page(page: Page, ada: User, bob: User, script: bool) -> None:
    post(ada)
    page.goto("/g/books/")
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/g/books/")
    account = page.get_by_role("navigation", name="Your account")
    account.get_by_text("bob").click()
    expect(account.get_by_role("link", name="Your profile")).to_be_visible()
    account.get_by_role("button", name="Log out").click()
    expect(account.get_by_role("link", name="Log in")).to_be_visible()


def test_guest_who_logs_in_while_writing_keeps_the_text(
    page: Page, ada: User, bob: User, script: bool
) -> None:
    page.goto(post(ada, kind="question").get_absolute_url())
    page.get_by_role("link", name="Write an answer").click()
    page.get_by_label("Your answer").fill("Tie a reef knot.")
    page.get_by_role("banner").get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_text("Your text was saved.")).to_be_visible()
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_label("Your answer")).to_have_value("Tie a reef knot.")
    expect(page.get_by_text("Not sent yet. Check it and press “Send”.")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".comment .prose")).to_have_text("Tie a reef knot.")
    page.goto("/u/bob/drafts")
    expect(page.get_by_text("You have no drafts.")).to_be_visible()


@pytest.mark.parametrize("button", ["save", "hide"])
def test_saving_or_hiding_after_session_ended_says_that_it_is_not_done(
    as_bob: Page, context: BrowserContext, ada: User, script: bool, button: str
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    context.clear_cookies(name="sessionid")
    row(page, written).get_by_role("button", name=button).click()
    page.wait_for_url("**/accounts/login/?**")
    message = "Log in first, then press the button again."
    expect(page.get_by_text(message)).to_be_visible()
