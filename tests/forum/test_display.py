"""People choose theme, contrast, text size and density for their browser, also as guests."""

import re
from typing import Any

import pytest
from django.test import Client

from forum.models import User
from forum.web import display
from tests.forum.factories import OUR_PAGE, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

DARK = {"theme": "dark"}


def browser(user: User | None = None, chosen: str = "") -> Client:
    window = reader(user, headers=OUR_PAGE)
    if chosen:
        window.cookies[display.COOKIE] = chosen
    return window


def tag(window: Client, path: str = "/new") -> str:
    """Return the `<html>` tag of a page."""
    html = window.get(path).content.decode()
    assert "\x02" not in html, "no placeholder is left"
    return html.partition("<html ")[2].partition(">")[0]


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_every_page_is_dark_after_choosing_dark(ada: User, member: bool) -> None:
    written = post(ada, "A post")
    window = browser(ada if member else None)
    assert tag(window) == 'lang="en"'
    chosen = window.post("/display", DARK | {"next": "/new"})
    assert (chosen.status_code, chosen["Location"]) == (303, "/new")
    assert chosen.cookies[display.COOKIE].value == "dark.normal.normal.comfortable.on.on"
    for path in ("/", "/new", "/g/", "/search?q=post", "/display", written.get_absolute_url()):
        assert tag(window, path) == 'lang="en" class="theme-dark"', path
        html = window.get(path).content.decode()
        assert '<meta name="color-scheme" content="dark">' in html
        assert re.findall('name="theme-color" content="([^"]+)">', html) == ["#23121d"]


def test_error_pages_are_dark_too(ada: User) -> None:
    window = browser(chosen="dark.normal.normal.comfortable.on.on")
    for path in ("/nowhere", "/g/nothing/", "/?p=99", "/inbox/read"):
        assert tag(window, path) == 'lang="en" class="theme-dark"', path


def test_each_choice_becomes_a_class_and_the_others_stay() -> None:
    window = browser()
    for choice, classes in (
        ({"contrast": "high"}, "contrast-high"),
        ({"text": "large"}, "contrast-high text-large"),
        ({"density": "compact"}, "contrast-high text-large density-compact"),
        ({"avatars": "off"}, "contrast-high text-large density-compact avatars-off"),
        ({"theme": "light"}, "theme-light contrast-high text-large density-compact avatars-off"),
    ):
        window.post("/display", choice)
        assert tag(window) == f'lang="en" class="{classes}"'
    html = window.get("/display").content.decode()
    assert html.count(" checked>") == 6


def test_choosing_the_defaults_removes_the_cookie() -> None:
    window = browser(chosen="dark.normal.normal.comfortable.on.on")
    answer = window.post("/display", {"theme": "system"})
    assert answer.cookies[display.COOKIE]["max-age"] == 0
    assert tag(window) == 'lang="en"'


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {},
    ],
)
@pytest.mark.parametrize("path", ["/display", "/language"])
def test_form_of_another_site_is_refused(path: str, headers: dict[str, str], ada: User) -> None:
    for window in (reader(headers=headers), reader(ada, headers=headers)):
        refused = window.post(path, DARK | {"language": "zh-hans"})
        assert refused.status_code == 403
        assert "from another site" in refused.content.decode()
        assert not refused.cookies.keys() & {display.COOKIE, "django_language"}


def test_browser_that_sends_only_the_origin_may_choose() -> None:
    window = reader(headers={"Origin": "http://testserver"})
    assert window.post("/display", DARK).status_code == 303


@pytest.mark.parametrize(
    ("sent", "referer", "back"),
    [
        ({"next": "/g/"}, "http://testserver/top", "/g/"),
        ({}, "http://testserver/top?t=day", "/top?t=day#foot-you"),
        ({"next": "https://evil.example/"}, "", "/display"),
        ({"next": "//evil.example/"}, "https://evil.example/", "/display"),
        ({}, "http://testserver/display", "/display#foot-you"),
        ({}, "http://testserver//evil.example/", "/display#foot-you"),
    ],
)
def test_choosing_leads_back_to_a_page_of_this_site(
    sent: dict[str, str], referer: str, back: str
) -> None:
    answer = browser().post("/display", DARK | sent, headers={"Referer": referer})
    assert (answer.status_code, answer["Location"]) == (303, back)


def test_saved_choices_are_confirmed_and_the_footer_needs_no_words() -> None:
    saved, window = "Your choices were saved.", browser()
    window.post("/display", DARK)
    assert saved not in window.get("/new").content.decode()
    window.post("/display", DARK | {"next": "/new"})
    assert saved in window.get("/new").content.decode()
    assert saved not in window.get("/new").content.decode()


@pytest.mark.parametrize("field", list(display.CHOICES))
def test_choice_that_does_not_exist_is_refused(field: str) -> None:
    refused = browser().post("/display", {field: "pink"})
    assert refused.status_code == 400
    assert "That choice isn&#x27;t available." in refused.content.decode()
    assert not refused.cookies


def test_guests_with_different_themes_get_different_cached_pages(ada: User, settings: Any) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    post(ada, "A post")
    dark, light = (f"{theme}.normal.normal.comfortable.on.on" for theme in ("dark", "light"))
    for _time in range(2):
        assert tag(browser(chosen=dark)) == 'lang="en" class="theme-dark"'
        assert tag(browser(chosen=light)) == 'lang="en" class="theme-light"'
        assert tag(browser()) == 'lang="en"'


def test_made_up_cookies_share_the_cached_page_without_a_choice(ada: User, settings: Any) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    post(ada, "First")
    before = reader().get("/new").content
    post(ada, "Second")
    for made_up in ("pink", "dark", "dark.high", "dark.high.normal.compact.on.on.x", "x" * 4_000):
        assert browser(chosen=made_up).get("/new").content == before
    assert len(display.BY_COOKIE) == 144


def test_choosing_keeps_the_cached_pages(ada: User, settings: Any) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    post(ada, "First")
    before = reader().get("/new").content
    post(ada, "Second")
    browser().post("/display", DARK)
    assert reader().get("/new").content == before


def test_footer_offers_themes_and_languages_without_a_token() -> None:
    html = reader().get("/new").content.decode()
    footer = html.partition('<footer class="site-foot">')[2]
    assert "csrf" not in footer
    for value in ("system", "light", "dark"):
        assert f'name="theme" value="{value}"' in footer
    assert 'value="en" lang="en" aria-pressed="true">English</button>' in footer
    assert 'value="zh-hans" lang="zh-hans">简体中文</button>' in footer
    assert '<a href="/day/">Best of yesterday</a>' in footer
