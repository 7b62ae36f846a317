"""Members follow people and groups, save and hide posts, and see which posts they have viewed."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.browser.pages import is_marked, mark_document, row
from tests.forum.factories import groups, post

pytestmark = pytest.mark.long


def test_a_post_is_saved_and_hidden_from_its_row(as_bob: Page, ada: User, script: bool) -> None:
    page, noisy, useful = as_bob, post(ada, "A noisy thing"), post(ada, "A useful thing")
    page.goto("/new")
    if script:
        mark_document(page)
    save = page.get_by_role("button", name="Save: A useful thing")
    save.click()
    expect(save).to_have_text("saved")
    if script:
        assert is_marked(page), "saving loads no page"
        expect(save).to_be_focused()
    page.get_by_role("button", name="Hide: A noisy thing").click()
    expect(page.get_by_text("“A noisy thing” is hidden from your lists.")).to_be_visible()
    expect(row(page, noisy).locator(".title")).to_have_count(0)
    expect(row(page, noisy)).to_have_count(1 if script else 0)
    expect(row(page, useful)).to_be_visible()
    page.goto("/u/bob/saved")
    expect(row(page, useful)).to_be_visible()
    off = page.get_by_role("button", name="Remove from list: A useful thing")
    off.click()
    expect(off).to_have_count(0)
    expect(row(page, useful)).to_have_count(1 if script else 0)
    page.get_by_role("link", name="Hidden", exact=True).click()
    again = page.get_by_role("button", name="Show it again: A noisy thing")
    again.click()
    expect(again).to_have_count(0)
    expect(row(page, noisy)).to_have_count(1 if script else 0)
    page.goto("/new")
    expect(row(page, noisy)).to_be_visible()


def test_with_script_post_is_hidden_in_place_and_shown_again(as_bob: Page, ada: User) -> None:
    page, noisy = as_bob, post(ada, "A noisy thing")
    page.goto("/new")
    mark_document(page)
    again = row(page, noisy).get_by_role("button", name="Show it again: A noisy thing")
    for _ in range(2):
        page.get_by_role("button", name="Hide: A noisy thing").click()
        expect(again).to_be_focused()
        page.keyboard.press("Enter")
        expect(row(page, noisy).get_by_role("link", name="A noisy thing")).to_be_visible()
    assert is_marked(page)
    page.get_by_role("button", name="Hide: A noisy thing").click()
    expect(again).to_be_visible()
    page.reload()
    expect(row(page, noisy)).to_have_count(0)


@pytest.mark.parametrize("width", [320, 1280])
def test_second_press_on_hide_opens_no_other_post(as_bob: Page, ada: User, width: int) -> None:
    page = as_bob
    below, noisy = post(ada, "What comes next"), post(ada, "A noisy thing")
    page.set_viewport_size({"width": width, "height": 640})
    page.goto("/new")
    place, hide = row(page, below).bounding_box(), row(page, noisy).locator(".hide").bounding_box()
    assert place
    assert hide
    pointer = hide["x"] + hide["width"] / 2, hide["y"] + hide["height"] / 2
    page.mouse.click(*pointer)
    expect(row(page, noisy)).to_contain_text("is hidden from your lists.")
    assert row(page, below).bounding_box() == pytest.approx(place, abs=0.5)
    page.mouse.click(*pointer)
    expect(row(page, noisy)).to_contain_text("is hidden from your lists.")
    page.get_by_role("button", name="Show it again").click()
    expect(row(page, noisy).locator(".hide")).to_be_visible()
    assert row(page, below).bounding_box() == pytest.approx(place, abs=0.5)


def test_with_script_post_is_removed_from_its_list_in_place_and_restored(
    as_bob: Page, ada: User
) -> None:
    page, written = as_bob, post(ada, "A thing")
    lists = [("saved", "Save", "Remove from list"), ("hidden", "Hide", "Show it again")]
    for which, mark, undo in lists:
        page.goto("/new")
        page.get_by_role("button", name=f"{mark}: A thing").click()
        expect(row(page, written)).to_contain_text(which)
        page.goto(f"/u/bob/{which}")
        mark_document(page)
        back = page.get_by_role("button", name=f"{mark}: A thing")
        expect(back).to_have_count(0)
        page.get_by_role("button", name=f"{undo}: A thing").press("Enter")
        expect(back).to_be_focused()
        expect(page.locator(".since")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(row(page, written)).to_contain_text(which)
        assert is_marked(page), "the page is not reloaded"
        page.reload()
        expect(page.locator(".since")).to_have_count(1)


def test_following_from_list_of_groups_keeps_the_scroll_position(
    as_bob: Page, script: bool
) -> None:
    page, names = as_bob, [f"group-{number:02}" for number in range(30)]
    groups(*names)
    page.goto("/g/")
    for name in (names[0], names[15]):
        page.locator(f"#group-{name}").get_by_role("button").click()
        followed = page.locator(f"#group-{name}:target")
        expect(followed.get_by_role("button")).to_have_text("Stop following")
        place = followed.bounding_box()
        assert place
        assert 150 < place["y"] < 360, "near the middle of the window"
    page.goto("/g/")
    page.locator("#group-group-01").get_by_role("button").click()
    expect(page.locator("#group-group-01:target")).to_be_visible()
    expect(page.locator(".brand"), "it was near the top").to_be_in_viewport()


def test_content_below_profile_tabs_stays_in_place_on_a_phone(
    as_bob: Page,
) -> None:
    page = as_bob
    page.set_viewport_size({"width": 320, "height": 640})
    heights = set()
    for path in ("/u/bob/", "/u/bob/comments", "/u/bob/follows", "/u/bob/fans", "/u/bob/saved"):
        page.goto(path)
        heights.add(page.locator(".list-head").evaluate("e => e.offsetHeight"))
    assert len(heights) == 1
