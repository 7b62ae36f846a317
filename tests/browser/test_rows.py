"""Rows of lists: votes, new comments and actions are where readers look for them."""

import pytest
from playwright.sync_api import Page, Route, expect

from forum.models import User
from tests.browser.pages import arrow, row
from tests.forum.comments import add_comment
from tests.forum.factories import post, posts

BOX = "element => element.getBoundingClientRect().toJSON()"
OPACITY = "element => getComputedStyle(element).opacity"


def test_reader_sees_how_many_comments_are_new(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto(written.get_absolute_url())
    for _comment in range(2):
        add_comment(ada, written)
    page.goto("/")
    new = row(page, written).locator(".unseen")
    expect(new).to_have_text("2 new")
    expect(new).to_be_in_viewport(ratio=1)
    box = new.evaluate(BOX)
    assert box["width"] > 30
    assert box["height"] > 10


def test_each_arrow_takes_clicks_in_half_of_the_row_also_on_the_number(
    as_bob: Page, ada: User
) -> None:
    page, written = as_bob, post(ada, "Words enough for three lines on a phone " * 3)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto("/")
        whole = row(page, written).locator(".arrows").evaluate(BOX)
        up, down = (arrow(page, written, way).evaluate(BOX) for way in ("up", "down"))
        assert up["height"] == pytest.approx(whole["height"] / 2, abs=0.5)
        assert down["height"] == pytest.approx(whole["height"] / 2, abs=0.5)
        assert up["height"] >= 24
        middle = whole["x"] + whole["width"] / 2
        for way, y in (("up", down["y"] - 3), ("down", down["y"] + 3)):
            hit = page.evaluate(
                "([x, y]) => document.elementFromPoint(x, y).className", [middle, y]
            )
            assert hit == f"arrow {way}"


@pytest.mark.parametrize("script", [True], ids=["script"])
def test_vote_is_painted_at_once_and_taken_back_when_refused(
    as_bob: Page, ada: User, script: bool
) -> None:
    page, written, waiting = as_bob, post(ada), []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/vote", hold)
    page.goto("/")
    points = row(page, written).locator(".points")
    plain = points.evaluate("points => getComputedStyle(points).color")
    arrow(page, written, "down").click()
    expect(points).to_have_text("0")
    expect(arrow(page, written, "down")).to_have_attribute("aria-pressed", "true")
    expect(points).not_to_have_css("color", plain)
    waiting[0].fulfill(status=429, content_type="text/plain", body="Slow down.")
    expect(page.get_by_text("Slow down.")).to_be_visible()
    expect(points).to_have_text("1")
    expect(points).to_have_css("color", plain)
    expect(arrow(page, written, "down")).to_have_attribute("aria-pressed", "false")


def test_save_and_hide_appear_on_hover_and_on_focus(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    hide = row(page, written).locator(".hide")
    assert hide.evaluate(OPACITY) == "0"
    row(page, written).hover()
    assert hide.evaluate(OPACITY) == "1"
    page.mouse.move(0, 0)
    assert hide.evaluate(OPACITY) == "0"
    row(page, written).locator(".save").focus()
    assert hide.evaluate(OPACITY) == "1"


def test_comments_are_at_the_same_place_in_each_row(page: Page, ada: User) -> None:
    posts(ada, 3, "A title {}")
    post(ada, "A title of several lines " * 8)
    page.goto("/")
    ends = page.locator(".rows .comments").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().right)"
    )
    assert len(ends) == 4
    assert len(set(ends)) == 1


def test_only_top_lists_have_ranks(page: Page, ada: User) -> None:
    post(ada)
    rank = "row => getComputedStyle(row, '::before').content"
    for address, ranked in (("/", False), ("/new", False), ("/top?t=all", True)):
        page.goto(address)
        content = page.locator(".rows > li").first.evaluate(rank)
        assert (content != "none") is ranked, address


@pytest.mark.parametrize("path", ["/comments", "/u/ada/comments"])
def test_actions_of_a_comment_are_on_the_left_whatever_the_length_of_the_title(
    as_bob: Page, ada: User, path: str
) -> None:
    for title in ("Short", "A title of several lines " * 7):
        add_comment(ada, post(ada, title))
    as_bob.set_viewport_size({"width": 1280, "height": 800})
    as_bob.goto(path)
    begin = as_bob.locator(".flat .actions > :first-child, .flat .prose").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().x)"
    )
    assert len(begin) == 4
    assert len(set(begin)) == 1
