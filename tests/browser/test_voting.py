"""Voting in a browser. With JavaScript, a vote doesn't reload the page."""

from typing import Literal

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect
from redis import Redis

from forum.models import ArchivedVote, Mark, Post, User
from forum.store.service import get_voting_service
from tests.browser.pages import SLOWER, arrow, expect_vote, is_marked, mark_document, row
from tests.forum.factories import make_older, post
from voting.types import Vote


@pytest.mark.parametrize("place", ["front", "post"])
def test_vote_is_cast_switched_and_removed(
    as_bob: Page, ada: User, script: bool, place: str
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/" if place == "front" else written.get_absolute_url())
    expect_vote(page, written, "none", 1)
    for pressed, vote, points in (("up", "up", 2), ("down", "down", 0), ("down", "none", 1)):
        page.wait_for_timeout(SLOWER)
        mark_document(page)
        arrow(page, written, pressed).click()
        expect_vote(page, written, vote, points)
        assert is_marked(page) is script
        if script:
            expect(arrow(page, written, pressed)).to_be_focused()
    page.reload()
    expect_vote(page, written, "none", 1)


@pytest.mark.parametrize("apart", [80, 200, 400])
@pytest.mark.parametrize("way", ["up", "down"])
def test_a_double_click_votes_once(as_bob: Page, ada: User, apart: int, way: str) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    arrow(page, written, way).hover()
    for _click in range(2):
        page.mouse.down()
        page.mouse.up()
        page.wait_for_timeout(apart)
    expect_vote(page, written, way, 2 if way == "up" else 0)
    page.reload()
    expect_vote(page, written, way, 2 if way == "up" else 0)


@pytest.mark.parametrize("script", [False], ids=["no-script"])
@pytest.mark.parametrize("column", [".arrow.up", ".arrow.down", ".hide", ".save"])
@pytest.mark.long
def test_without_script_double_click_hits_no_other_post(
    as_bob: Page, bob: User, ada: User, script: bool, column: str
) -> None:
    page, listed = as_bob, [post(ada, f"Post number {number}") for number in range(25)]
    page.goto("/new")
    before = changed_by(bob, listed)
    page.locator(column).nth(3).hover()
    with page.expect_navigation(wait_until="load"):
        page.mouse.down()
        page.mouse.up()
    page.mouse.down()
    page.mouse.up()
    page.goto("/about")
    assert len(changed_by(bob, listed) - before) <= 1, "at most the clicked post"


def changed_by(reader: User, listed: list[Post]) -> set[int]:
    """Return the ids of the posts in `listed` that `reader` has voted on, saved or hidden."""
    votes = {
        row.id
        for row in get_voting_service().posts.rows([p.pk for p in listed], viewer=reader.pk)
        if row.vote
    }
    return votes | set(Mark.objects.filter(user=reader).values_list("post_id", flat=True))


@pytest.mark.parametrize("script", [False], ids=["no-script"])
def test_without_script_vote_returns_to_its_row(as_bob: Page, ada: User, script: bool) -> None:
    posts = [post(ada, f"Post number {number}") for number in range(30)]
    page, last = as_bob, posts[0]
    page.goto("/new?p=2")
    with page.expect_response("**/vote") as answer:
        arrow(page, last, "up").click()
    assert answer.value.status == 303
    assert answer.value.headers["location"] == f"/new?p=2#post-{last.pk}"
    expect_vote(page, last, "up", 2)
    expect(row(page, last)).to_be_in_viewport()
    assert page.url.endswith(f"/new?p=2#post-{last.pk}")


def test_vote_still_shows_after_going_back(as_bob: Page, ada: User, script: bool) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    page.goto("/")  # sets cookies; pages cached from now on can be restored
    arrow(page, written, "up").click()
    expect_vote(page, written, "up", 2)
    page.goto("/about")
    page.go_back()
    expect_vote(page, written, "up", 2)


@pytest.mark.parametrize(
    ("way", "place"), [("Log in", "main"), ("Sign up", "main"), ("Sign up", "banner")]
)
def test_a_guests_vote_waits_for_log_in_and_is_then_counted(
    page: Page, ada: User, bob: User, script: bool, way: str, place: Literal["main", "banner"]
) -> None:
    written = post(ada)
    page.goto("/new")
    arrow(page, written, "down").click()
    expect(page.get_by_text("Log in to vote on:")).to_be_visible()
    if way == "Log in":
        page.get_by_label("User name").fill(bob.username)
    else:
        page.get_by_role(place).get_by_role("link", name=way).click()
        expect(page.get_by_text("Sign up to vote on:")).to_be_visible()
        page.get_by_label("User name").fill("carol")
    page.get_by_label("Password", exact=True).fill("a long enough sentence")
    page.get_by_role("button", name=way, exact=True).click()
    page.get_by_role("button", name="Vote down").click()
    page.wait_for_url(f"**/new#post-{written.pk}")
    expect_vote(page, written, "down", 0)


def test_a_vote_after_the_session_ended_leads_to_log_in_and_is_then_counted(
    as_bob: Page, context: BrowserContext, ada: User, script: bool
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    context.clear_cookies(name="sessionid")
    arrow(page, written, "up").click()
    page.wait_for_url(f"**{reverse('account_login')}?**")
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password", exact=True).fill("a long enough sentence")
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Vote up").click()
    page.wait_for_url(f"**/#post-{written.pk}")
    expect_vote(page, written, "up", 2)


def test_a_closed_post_shows_the_vote_but_takes_none(
    as_bob: Page, ada: User, bob: User, redis: Redis, script: bool
) -> None:
    page, written = as_bob, post(ada)
    ArchivedVote.objects.create(
        user_id=bob.pk, post_id=written.pk, vote=Vote.DOWN, at=written.created_at
    )
    make_older(redis, written, days=8)
    for address in ("/", written.get_absolute_url()):
        page.goto(address)
        expect(row(page, written)).to_contain_text("you voted down")
        for way, pressed in (("up", "false"), ("down", "true")):
            stands = arrow(page, written, way)
            expect(stands).to_be_disabled()
            expect(stands).to_have_attribute("aria-pressed", pressed)
            expect(stands).to_have_attribute("title", "Voting has closed")
    page.get_by_text("Why is this here?").click()
    expect(page.get_by_text("closed on")).to_be_visible()


def test_late_vote_is_refused_with_the_reason(
    as_bob: Page, ada: User, redis: Redis, script: bool
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    make_older(redis, written, days=8)
    arrow(page, written, "up").click()
    expect(page.get_by_text("Voting closed on")).to_be_visible()
    expect(page.get_by_text("You did not vote.")).to_be_visible()
    if script:
        expect_vote(page, written, "none", 1)
    else:
        page.get_by_role("link", name="Go to the post").click()
        expect(page.get_by_role("heading", name=written.title)).to_be_visible()


def test_vote_without_network_says_that_it_was_not_counted(
    as_bob: Page, context: BrowserContext, ada: User, complaints: list[str]
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    context.set_offline(True)
    arrow(page, written, "up").click()
    expect(page.get_by_role("status")).to_contain_text("Nothing was changed.")
    expect_vote(page, written, "none", 1)
    context.set_offline(False)
    arrow(page, written, "up").click()
    expect_vote(page, written, "up", 2)
    expect(page.get_by_role("status")).to_have_count(0)
    complaints.clear()
