"""A person with only a keyboard can reach every control, see which has the focus, and press it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from forum.models import User
from tests.browser.pages import arrow, expect_vote, is_marked, mark_document, row
from tests.forum.factories import PASSWORD, post

pytestmark = pytest.mark.long


def tab_to(page: Page, wanted: Locator, most: int = 40) -> None:
    """Press Tab until the element `wanted` has the focus. Fail after `most` key presses."""
    for _step in range(most):
        page.keyboard.press("Tab")
        if wanted.evaluate("e => e === document.activeElement"):
            return
    raise AssertionError(f"{most} times Tab did not lead to {wanted}")


def test_votes_are_cast_from_the_keyboard_and_the_focus_stays(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    mark_document(page)
    tab_to(page, arrow(page, written, "up"))
    for key, vote, points in (("Enter", "up", 2), ("Space", "none", 1), ("Enter", "up", 2)):
        page.keyboard.press(key)
        expect_vote(page, written, vote, points)
        expect(arrow(page, written, "up")).to_be_focused()
    page.keyboard.press("Tab")
    expect(arrow(page, written, "down")).to_be_focused()
    page.keyboard.press("Enter")
    expect_vote(page, written, "down", 0)
    expect(arrow(page, written, "down")).to_be_focused()
    assert is_marked(page)


def test_tab_after_a_vote_continues_from_its_row(as_bob: Page, ada: User, script: bool) -> None:
    page = as_bob
    _first, middle, _last = (post(ada, f"Post number {number}") for number in range(3))
    page.goto("/new")
    tab_to(page, arrow(page, middle, "up"))
    page.keyboard.press("Enter")
    expect_vote(page, middle, "up", 2)
    if not script:  # keys pressed before a new page is painted are lost
        expect(row(page, middle).and_(page.locator(":target"))).to_be_attached()
        row(page, middle).hover(trial=True)
    page.keyboard.press("Tab")
    expect(arrow(page, middle, "down" if script else "up")).to_be_focused()


def test_the_first_tab_skips_to_the_content(page: Page, ada: User) -> None:
    written = post(ada)
    page.goto("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    tab_to(page, arrow(page, written, "up"), most=8)


def test_focus_is_visible_on_every_stop_of_the_front_page(as_bob: Page, ada: User) -> None:
    page, _written = as_bob, post(ada, kind="link", url="https://example.org/", body="")
    page.goto("/")
    page.locator(".brand").focus()
    seen = []
    for _stop in range(40):
        page.keyboard.press("Tab")
        stop = page.locator(":focus")
        if not stop.count():
            break
        name = stop.evaluate("e => e.getAttribute('aria-label') || e.textContent.trim()")
        outline = stop.evaluate("e => getComputedStyle(e).outlineStyle")
        assert outline != "none", f"nothing shows that {name!r} has the focus"
        seen.append(name)
        if name == "bob":
            page.keyboard.press("Enter")  # Tab reaches the menu's links only in an open menu
    assert {"Hot", "Submit", "bob", "Log out", "Up vote: A title", "About"} <= set(seen)


def test_the_menu_opens_and_closes_from_the_keyboard(as_bob: Page, script: bool) -> None:
    page = as_bob
    page.goto("/about")
    tab_to(page, page.locator(".menu summary"))
    page.keyboard.press("Enter")
    profile = page.get_by_role("link", name="Your profile")
    expect(profile).to_be_visible()
    page.keyboard.press("Tab")
    expect(profile).to_be_focused()
    if script:
        page.keyboard.press("Escape")
    else:
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
    expect(profile).to_be_hidden()
    expect(page.locator(".menu summary")).to_be_focused()


def test_menu_closes_when_focus_leaves_it(as_bob: Page) -> None:
    page = as_bob
    page.goto("/new")
    for leave in ("Tab", "Shift+Tab"):
        page.locator(".menu summary").focus()
        page.keyboard.press("Enter")
        last = page.get_by_role("button", name="Log out")
        expect(last).to_be_visible()
        if leave == "Tab":
            tab_to(page, last)
            expect(last, "it is open as long as the keyboard is in it").to_be_visible()
        page.keyboard.press(leave)
        expect(last).to_be_hidden()
        expect(page.locator(":focus")).to_be_visible()


def test_a_person_logs_in_and_publishes_without_a_mouse(page: Page, bob: User, ada: User) -> None:
    post(ada)
    page.goto("/submit")
    tab_to(page, page.get_by_label("User name"))
    page.keyboard.type("bob")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Submit a post")).to_be_visible()
    tab_to(page, page.get_by_role("radio", name="Link"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Text")).to_be_checked()
    tab_to(page, page.get_by_label("Title"))
    page.keyboard.type("Written by hand")
    tab_to(page, page.get_by_label("Text", exact=True))
    page.keyboard.type("All of it.")
    tab_to(page, page.get_by_label("Books"))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_role("button", name="Publish"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Written by hand")).to_be_visible()
