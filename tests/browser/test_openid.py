"""People sign up and log in with an OpenID Connect provider, on a phone."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from forum.models import FeedKey, User
from tests.browser.pages import PHONE, arrow, expect_sound, expect_vote
from tests.forum.factories import post
from tests.forum.oidc import site_with_provider

SIGN_UP = "**/accounts/3rdparty/signup/"


@pytest.fixture(autouse=True)
def here(page: Page, settings: Any) -> Iterator[str]:
    """The URL of a site with a provider. A phone is about to open it.

    The other tests' site has no provider, so its pages may not send forms there.
    """
    page.set_viewport_size(PHONE)
    with site_with_provider(settings):
        server = LiveServer("localhost")
        yield server.url
        page.goto("about:blank")
        server.stop()


@pytest.fixture
def speak_chinese(page: Page, here: str) -> None:
    name = site.LANGUAGE_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": "zh-hans", "url": here}])


def go_through_the_provider(page: Page, button: str = "Continue with Our school") -> None:
    page.get_by_role("button", name=button).click()
    page.get_by_role("link", name="Log in", exact=True).click()


def choose_name(page: Page, script: bool) -> None:
    page.wait_for_url(SIGN_UP)
    expect_sound(page, script)
    page.get_by_role("textbox").first.fill("carol")
    page.locator("main form button").click()


def test_guest_who_votes_signs_up_with_a_provider_and_confirms_the_vote(
    page: Page, here: str, bob: User, script: bool
) -> None:
    written = post(bob)
    page.goto(f"{here}/new")
    arrow(page, written, "up").click()
    page.wait_for_url("**/accounts/login/**")
    expect_sound(page, script)
    go_through_the_provider(page)
    choose_name(page, script)
    expect(page.get_by_role("heading", name="Vote this up?")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("button", name="Vote up", exact=True).click()
    expect_vote(page, written, "up", 2)
    assert User.objects.filter(username="carol").exists()


def test_guests_text_is_there_after_the_provider(
    page: Page, here: str, bob: User, script: bool
) -> None:
    page.goto(here + post(bob, kind="question").get_absolute_url())
    page.get_by_role("link", name="Write an answer").click()
    page.get_by_label("Your answer").fill("Tie a reef knot.")
    page.get_by_role("banner").get_by_role("button", name="Log in", exact=True).click()
    go_through_the_provider(page)
    choose_name(page, script)
    expect(page.get_by_label("Your answer")).to_have_value("Tie a reef knot.")
    expect(page.get_by_text("Not sent yet. Check it and press “Send”.")).to_be_visible()


def test_cancelling_at_the_provider_leads_back_to_log_in(
    page: Page, here: str, script: bool
) -> None:
    page.goto(f"{here}/accounts/login/")
    page.get_by_role("button", name="Continue with Our school").click()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_text("You cancelled the log-in.")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("main").get_by_role("link", name="Log in").click()
    expect(page.get_by_role("button", name="Continue with Our school")).to_be_visible()


@pytest.mark.usefixtures("speak_chinese")
def test_person_signs_up_logs_in_and_confirms_with_the_only_way_in_in_chinese(
    page: Page, here: str, settings: Any, script: bool
) -> None:
    settings.OIDC_ONLY = True
    continue_ = "用 Our school 继续"
    page.goto(f"{here}/accounts/signup/?next=/about")
    expect(page.get_by_label("密码")).to_have_count(0)
    expect_sound(page, script)
    go_through_the_provider(page, continue_)
    choose_name(page, script)
    page.wait_for_url("**/about")
    expect(page.get_by_text("欢迎")).to_be_visible()
    page.context.clear_cookies(name=site.SESSION_COOKIE_NAME)
    page.goto(f"{here}/accounts/login/?next=/preferences/feeds")
    expect_sound(page, script)
    go_through_the_provider(page, continue_)
    page.wait_for_url("**/preferences/feeds")
    page.locator("main form button").first.click()
    expect(page.get_by_role("heading", name="确认身份")).to_be_visible()
    expect_sound(page, script)
    page.get_by_role("button", name=continue_).click()
    expect(page.get_by_text("Who are you again?")).to_be_visible()
    page.get_by_role("link", name="Log in", exact=True).click()
    expect(page.locator("main input[readonly]").first).to_be_visible()
    assert FeedKey.objects.get().user.username == "carol"
    page.goto(f"{here}/accounts/3rdparty/")
    expect_sound(page, script)
