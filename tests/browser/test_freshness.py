"""With JavaScript, a page updates itself if it was loaded before the viewer's last action."""

from typing import TypeVar

import pytest
from playwright.sync_api import APIResponse, BrowserContext, Page, Route, expect

from forum.models import User
from forum.store.service import get_voting_service
from tests.browser.pages import arrow, expect_vote, row
from tests.forum.comments import add_comment
from tests.forum.factories import post
from voting.types import Target, Vote

Held = TypeVar("Held")


def vote_elsewhere(page: Page, person: User, target: Target) -> None:
    """Vote as if in another browser tab, then return to the tab of `page`."""
    get_voting_service().votes.cast(person.pk, target, Vote.UP)
    page.evaluate(
        "() => { dispatchEvent(new StorageEvent('storage', { key: 'changed' }));"
        " document.dispatchEvent(new Event('visibilitychange')) }"
    )


def first(page: Page, held: list[Held]) -> Held:
    """Wait until the list `held` isn't empty, and return its first item."""
    for _ in range(500):
        if held:
            return held[0]
        page.wait_for_timeout(50)
    pytest.fail("nothing was sent")


def test_vote_on_post_page_shows_on_list_after_going_back(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    page.goto("/")
    row(page, written).get_by_role("link", name=written.title).click()
    arrow(page, written, "down").click()
    expect_vote(page, written, "down", 0)
    page.go_back()
    expect_vote(page, written, "down", 0)
    page.go_forward()
    expect_vote(page, written, "down", 0)


def test_hidden_post_is_not_on_list_after_going_back(as_bob: Page, ada: User) -> None:
    page, hidden, kept = as_bob, post(ada, "To be hidden"), post(ada, "To be read")
    for address in ("/", "/new"):
        page.goto(address)
    row(page, hidden).get_by_role("button", name="hide").click()
    expect(page.get_by_text("“To be hidden” is hidden from your lists.")).to_be_visible()
    row(page, kept).get_by_role("link", name=kept.title).click()
    expect(page.get_by_role("heading", level=1, name=kept.title)).to_be_visible()
    for address in ("/new", "/"):
        page.go_back()
        page.wait_for_url(f"**{address}")
        expect(row(page, kept)).to_be_visible()
        expect(row(page, hidden)).to_have_count(0)


def test_vote_in_one_tab_shows_in_another_when_it_is_opened(
    as_bob: Page, context: BrowserContext, ada: User
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    with context.new_page() as second:
        second.goto(written.get_absolute_url())
        arrow(second, written, "up").click()
        expect_vote(second, written, "up", 2)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect_vote(page, written, "up", 2)


def test_new_comments_stay_marked_while_tab_fetches_votes(
    as_bob: Page, ada: User, bob: User
) -> None:
    page, written = as_bob, post(ada)
    page.goto(written.get_absolute_url())
    add_comment(ada, written)
    vote_elsewhere(page, bob, Target(written.pk))
    expect_vote(page, written, "up", 2)
    page.goto("/")
    expect(row(page, written)).to_contain_text("1 new")


def test_comment_vote_stays_visible_if_an_older_page_arrives_after_it(
    as_bob: Page, ada: User, bob: User
) -> None:
    page, written = as_bob, post(ada)
    own, second = add_comment(ada, written, "First."), add_comment(ada, written, "Second.")
    mine, other = (page.locator(f"#comment-{one.pk}") for one in (own, second))
    pressed = mine.locator(".arrow.up")
    page.goto(written.get_absolute_url())
    held = list[tuple[Route, APIResponse]]()
    page.route(written.get_absolute_url(), lambda route: held.append((route, route.fetch())))
    vote_elsewhere(page, bob, Target(written.pk, second.pk))
    route, older = first(page, held)
    pressed.click()
    expect(mine).to_have_attribute("data-vote", "up")
    route.fulfill(response=older)
    expect(other).to_have_attribute("data-vote", "up")
    expect(mine).to_have_attribute("data-vote", "up")
    expect(pressed).to_be_focused()


def test_pending_vote_is_shown_although_page_refreshes_itself(
    as_bob: Page, ada: User, bob: User
) -> None:
    page, written, other = as_bob, post(ada, "Mine"), post(ada, "Other")
    page.goto("/new")
    held = list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/vote", hold)
    arrow(page, written, "up").click()
    under_way = first(page, held)
    vote_elsewhere(page, bob, Target(other.pk))
    expect_vote(page, other, "up", 2)
    under_way.continue_()
    expect_vote(page, written, "up", 2)


def test_focus_stays_on_arrow_of_a_refreshed_comment(as_bob: Page, ada: User, bob: User) -> None:
    page, written = as_bob, post(ada)
    comment = add_comment(ada, written)
    page.goto(written.get_absolute_url())
    page.locator(f"#comment-{comment.pk} .arrow.down").focus()
    vote_elsewhere(page, bob, Target(written.pk, comment.pk))
    expect(page.locator(f"#comment-{comment.pk}")).to_have_attribute("data-vote", "up")
    expect(page.locator(f"#comment-{comment.pk} .arrow.down")).to_be_focused()
