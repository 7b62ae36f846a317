"""A click on a post's link opens the linked page and is counted once."""

import pytest
from playwright.sync_api import Page, Request, Route

from forum.models import Post
from forum.store.service import get_voting_service
from tests.forum.factories import person, post

ADDRESS = "https://example.org/real?page=1"


@pytest.fixture
def link() -> Post:
    return post(person("cora"), "A real page", kind="link", url=ADDRESS)


@pytest.fixture
def reports(page: Page) -> list[Request]:
    """The requests with which the browser tells the site about clicks."""
    sent: list[Request] = []

    def stand_in(route: Route) -> None:
        route.fulfill(content_type="text/html", body="<title>Elsewhere</title>")

    page.route("https://example.org/**", stand_in)

    def hear(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/out"):
            sent.append(request)

    page.context.on("request", hear)
    return sent


def test_a_guest_follows_the_real_address_and_is_counted_once(
    page: Page, script: bool, link: Post, reports: list[Request]
) -> None:
    page.goto("/new")
    with page.context.expect_event("request", lambda sent: sent.url.endswith("/out")):
        page.get_by_role("link", name="A real page", exact=True).click()
    page.wait_for_url(ADDRESS)
    page.goto("/new")
    assert len(reports) == 1
    assert get_voting_service().posts.rows([link.pk])[0].views == 1


def test_a_link_that_was_followed_is_shown_as_visited(
    page: Page, link: Post, reports: list[Request]
) -> None:
    page.goto("/new")
    title = page.get_by_role("link", name="A real page", exact=True)
    assert title.get_attribute("href") == ADDRESS
    title.click()
    page.wait_for_url(ADDRESS)
    page.goto("/new")
    assert title.get_attribute("href") == ADDRESS
