"""Listings: from the first page to the clear end, groups and groups combined."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import Post, User
from tests.browser.sights import visit
from tests.forum.cast import post


def write(ada: User, count: int, **more: str) -> list[Post]:
    """Publish posts, the newest last."""
    return [post(ada, f"Post number {number}", **more) for number in range(1, count + 1)]


def titles(page: Page) -> list[str]:
    """Return the titles that are on the page."""
    return page.locator("main article .title a").all_text_contents()


def test_a_reader_turns_pages_to_the_clear_end(page: Page, ada: User, script: bool) -> None:
    write(ada, 27)
    page.goto("/")
    assert len(titles(page)) == 25
    expect(page.get_by_text("That is everything")).to_have_count(0)
    page.get_by_role("link", name="New", exact=True).click()
    first = titles(page)
    pager = page.get_by_role("navigation", name="Pages")
    pager.get_by_role("link", name="Next").click()
    page.wait_for_url("**/new?p=2")
    assert titles(page) == ["Post number 2", "Post number 1"]
    assert not set(titles(page)) & set(first)
    expect(page.locator("ol.rows")).to_have_attribute("start", "26")
    expect(page.get_by_text("That is everything: 27 posts.")).to_be_visible()
    expect(pager.get_by_role("link", name="Next")).to_have_count(0)
    pager.get_by_role("link", name="1").click()
    assert titles(page) == first


def test_a_page_past_the_end_leads_back_to_the_last_one(page: Page, ada: User) -> None:
    write(ada, 27)
    assert visit(page, "/new?p=9").status == 404
    expect(page.get_by_text("It has 2 pages.")).to_be_visible()
    page.get_by_role("link", name="Go to the last page").click()
    assert titles(page) == ["Post number 2", "Post number 1"]


def test_orders_go_both_ways(page: Page, ada: User, script: bool) -> None:
    write(ada, 3)
    page.goto("/new")
    assert titles(page) == ["Post number 3", "Post number 2", "Post number 1"]
    page.get_by_role("link", name="Oldest first").click()
    page.wait_for_url("**/new?dir=asc")
    assert titles(page) == ["Post number 1", "Post number 2", "Post number 3"]
    page.get_by_role("link", name="Top", exact=True).click()
    page.get_by_role("link", name="All time").click()
    expect(page.get_by_role("heading", name="Top of all time")).to_be_visible()
    assert len(titles(page)) == 3


def test_a_reader_finds_a_group_and_combines_it_with_another(
    page: Page, ada: User, script: bool
) -> None:
    post(ada, "About both", slugs="books maths")
    post(ada, "About books", slugs="books")
    post(ada, "About maths", slugs="maths")
    page.goto("/")
    page.get_by_role("navigation", name="Listings").get_by_role("link", name="Groups").click()
    expect(page.get_by_text("2 posts")).to_have_count(2)
    page.get_by_role("link", name="Books", exact=True).click()
    assert titles(page) == ["About books", "About both"]
    page.get_by_text("Combine it with other groups").click()
    page.get_by_role("link", name="books&maths").click()
    expect(page.get_by_text("Posts that are in all of these groups at once.")).to_be_visible()
    assert titles(page) == ["About both"]


@pytest.mark.parametrize(
    ("mix", "found"),
    [
        ("books+maths", ["About maths", "About books", "About both"]),
        ("books&maths", ["About both"]),
        ("books~maths", ["About books"]),
    ],
)
def test_groups_combine_in_the_address(page: Page, ada: User, mix: str, found: list[str]) -> None:
    post(ada, "About both", slugs="books maths")
    post(ada, "About books", slugs="books")
    post(ada, "About maths", slugs="maths")
    page.goto(f"/g/{mix}/new")
    assert titles(page) == found


def test_an_unknown_group_says_so_and_offers_those_that_exist(page: Page, ada: User) -> None:
    post(ada)
    assert visit(page, "/g/boks/").status == 404
    expect(page.get_by_text("There is no group called boks.")).to_be_visible()
    page.get_by_text("Did you mean").get_by_role("link", name="books").click()
    expect(page.get_by_role("heading", name="Books")).to_be_visible()


def test_an_empty_site_says_so_and_invites(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("Nothing is here yet.")).to_be_visible()
    page.get_by_role("link", name="Be the first to post").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
