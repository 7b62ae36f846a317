"""People choose how pages look, also as guests and without JavaScript."""

from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from forum.models import User
from tests.browser.pages import VIOLATIONS, expect_sound, too_wide, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post

SHEET = {"light": "rgb(255, 253, 249)", "dark": "rgb(27, 23, 26)"}
"""The background of a page's main part in each theme."""
CONTRAST = {"runOnly": ["color-contrast-enhanced"]} | VIOLATIONS
"""Options of axe to check the contrast of 7:1 (WCAG AAA)."""
HIGH = ("light.high.normal.comfortable.on.on", "dark.high.normal.comfortable.on.on")


def choose(page: Page, base_url: str, value: str) -> None:
    """Set the cookie that the page of choices sets."""
    page.context.add_cookies([{"name": "display", "value": value, "url": base_url}])


def footer_button(page: Page, name: str) -> Locator:
    return page.locator(".site-foot").get_by_role("button", name=name, exact=True)


def expect_theme(page: Page, theme: str) -> None:
    expect(page.locator("main")).to_have_css("background-color", SHEET[theme])


def test_guest_chooses_dark_in_the_footer_and_every_page_is_dark(
    page: Page, ada: User, script: bool
) -> None:
    written = post(ada, "A post")
    visit(page, "/new")
    expect_theme(page, "light")
    footer_button(page, "Dark").click()
    expect_theme(page, "dark")
    assert page.url.endswith("/new#foot-you")
    expect(footer_button(page, "Dark")).to_have_css("font-weight", "600")
    for path in ("/", written.get_absolute_url(), "/g/", "/nowhere", "/accounts/login/"):
        visit(page, path)
        expect_theme(page, "dark")
        assert page.locator("html").get_attribute("class", timeout=1_000) in {
            "theme-dark",
            "theme-dark scripted",
        }
    footer_button(page, "System").click()
    expect_theme(page, "light")


def test_footer_stays_in_view_below_a_long_page(page: Page, ada: User, script: bool) -> None:
    visit(page, post(ada, body="A line.\n\n" * 80).get_absolute_url())
    footer_button(page, "Dark").click()
    expect_theme(page, "dark")
    expect(footer_button(page, "Dark")).to_be_in_viewport()


def test_system_theme_follows_the_device_and_a_choice_does_not(page: Page) -> None:
    visit(page, "/about")
    page.emulate_media(color_scheme="dark")
    expect_theme(page, "dark")
    footer_button(page, "Light").click()
    expect_theme(page, "light")
    page.emulate_media(color_scheme="light")
    expect_theme(page, "light")


def test_member_makes_text_larger_and_rows_tighter(as_bob: Page, ada: User, script: bool) -> None:
    page, written = as_bob, post(ada, "A post")
    visit(page, "/new")
    row = page.locator(f"#post-{written.pk}")
    comfortable = row.bounding_box()
    page.locator(".site-foot").get_by_role("link", name="Display").click()
    page.get_by_label("Compact").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_class(
        "density-compact scripted" if script else "density-compact"
    )
    compact = row.bounding_box()
    assert comfortable
    assert compact
    assert compact["height"] <= comfortable["height"] * 0.9
    visit(page, "/display")
    page.get_by_label("Larger").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_css("font-size", "18px")


def test_guest_chooses_the_language_by_its_own_name(page: Page, script: bool) -> None:
    visit(page, "/about")
    footer_button(page, "简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    assert page.url.endswith("/about#foot-you")
    footer_button(page, "English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.parametrize("value", HIGH)
def test_high_contrast_is_seven_to_one(page: Page, ada: User, base_url: str, value: str) -> None:
    written = post(ada, "A question", kind="question", body="Some `code`.")
    add_comment(ada, written, "A comment.")
    choose(page, base_url, value)
    for path in ("/", written.get_absolute_url(), "/g/", "/nowhere", "/display", "/search?q=post"):
        visit(page, path)
        page.add_script_tag(url=f"{settings.STATIC_URL}{AXE_FILE_PATH.name}")
        found: Any = page.evaluate("options => axe.run(options)", CONTRAST)
        assert not [node["html"] for rule in found["violations"] for node in rule["nodes"]], path


@pytest.mark.parametrize("width", [320, 390, 961, 1280])
def test_large_text_and_compact_pages_fit_the_window(
    as_bob: Page, ada: User, base_url: str, width: int
) -> None:
    page, written = as_bob, post(ada, "A post")
    choose(page, base_url, "dark.high.large.compact.off.on")
    page.set_viewport_size({"width": width, "height": 800})
    for path in ("/", written.get_absolute_url(), "/inbox", "/display", "/preferences"):
        visit(page, path)
        assert not too_wide(page), path


def test_the_page_of_choices_has_no_accessibility_errors(page: Page, script: bool) -> None:
    visit(page, "/display")
    expect_sound(page, script)


def test_printed_thread_leaves_out_how_often_it_was_viewed(page: Page, ada: User) -> None:
    visit(page, post(ada, "A post").get_absolute_url())
    visit(page, "/views")
    views = page.locator(".views")
    expect(views).to_contain_text("1 view")
    page.emulate_media(media="print")
    expect(views).to_be_hidden()
    expect(page.get_by_text("A post")).to_be_visible()
