"""Listings: paging to the end, listings of one group, and listings of several groups (mixes)."""

import pytest
from playwright.sync_api import Locator, Page, expect

from forum.models import Post, User
from tests.browser.pages import visit
from tests.forum.factories import post

pytestmark = pytest.mark.long


def write(ada: User, count: int, **more: str) -> list[Post]:
    """Publish `count` posts, the newest last."""
    return [post(ada, f"Post number {number}", **more) for number in range(1, count + 1)]


def write_about_both(author: User) -> None:
    """Publish one post in two groups, then one post in each of these groups."""
    post(author, "About both", slugs="books maths")
    post(author, "About books", slugs="books")
    post(author, "About maths", slugs="maths")


def titles(page: Page) -> Locator:
    return page.locator("main article .title a")


def test_reader_pages_to_the_end_of_list(page: Page, ada: User, script: bool) -> None:
    write(ada, 27)
    page.goto("/")
    expect(titles(page)).to_have_count(25)
    expect(page.get_by_text("End of list")).to_have_count(0)
    page.get_by_role("link", name="New", exact=True).click()
    page.wait_for_url("**/new")
    first = titles(page).all_text_contents()
    pager = page.get_by_role("navigation", name="Pages")
    pager.get_by_role("link", name="Next").click()
    page.wait_for_url("**/new?p=2&after=*")
    expect(titles(page)).to_have_text(["Post number 2", "Post number 1"])
    assert not {"Post number 2", "Post number 1"} & set(first)
    expect(page.locator("ol.rows")).to_have_attribute("start", "26")
    expect(page.get_by_text("End of list")).to_be_visible()
    expect(pager.get_by_role("link", name="Next")).to_have_count(0)
    pager.get_by_role("link", name="1").click()
    expect(titles(page)).to_have_text(first)


def test_page_past_the_end_links_to_the_last(page: Page, ada: User) -> None:
    write(ada, 27)
    assert visit(page, "/new?p=9").status == 404
    expect(page.get_by_text("This list has 2 pages.")).to_be_visible()
    page.get_by_role("link", name="Last page").click()
    expect(titles(page)).to_have_text(["Post number 2", "Post number 1"])


def test_orders_have_two_directions(page: Page, ada: User, script: bool) -> None:
    write(ada, 3)
    page.goto("/new")
    expect(titles(page)).to_have_text(["Post number 3", "Post number 2", "Post number 1"])
    page.get_by_role("link", name="Oldest first").click()
    page.wait_for_url("**/new?dir=asc")
    expect(titles(page)).to_have_text(["Post number 1", "Post number 2", "Post number 3"])
    page.get_by_role("link", name="Top", exact=True).click()
    page.get_by_role("link", name="All time").click()
    expect(page.get_by_role("heading", name="Top of all time")).to_be_visible()
    expect(titles(page)).to_have_count(3)


def test_a_reader_finds_a_group_and_combines_it_with_another(
    page: Page, ada: User, script: bool
) -> None:
    write_about_both(ada)
    page.goto("/")
    page.get_by_role("navigation", name="Listings").get_by_role("link", name="Groups").click()
    expect(page.get_by_text("2 posts")).to_have_count(2)
    page.get_by_role("link", name="Books", exact=True).click()
    expect(titles(page)).to_have_text(["About books", "About both"])
    page.get_by_role("link", name="Combine with other groups").click()
    expect(page.get_by_label("Posts in")).to_have_value("books")
    expect(page.get_by_label("Other group")).to_have_value("maths")
    page.get_by_label("Combined by").select_option("and")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Posts in both Books and Maths.")).to_be_visible()
    expect(titles(page)).to_have_text(["About both"])


def test_a_reader_chooses_two_groups_and_how_they_combine(
    page: Page, ada: User, script: bool
) -> None:
    write_about_both(ada)
    page.goto("/g/")
    page.get_by_label("Posts in").select_option("Maths")
    page.get_by_label("Combined by").select_option("but not")
    page.get_by_label("Other group").select_option("Books")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Maths ~ Books")).to_be_visible()
    expect(titles(page)).to_have_text(["About maths"])


@pytest.mark.parametrize(
    ("mix", "found"),
    [
        ("books+maths", ["About maths", "About books", "About both"]),
        ("books&maths", ["About both"]),
        ("books~maths", ["About books"]),
    ],
)
def test_groups_combine_in_the_address(page: Page, ada: User, mix: str, found: list[str]) -> None:
    write_about_both(ada)
    page.goto(f"/g/{mix}/new")
    expect(titles(page)).to_have_text(found)


def test_unknown_group_offers_existing_groups(page: Page, ada: User) -> None:
    post(ada)
    assert visit(page, "/g/boks/").status == 404
    expect(page.get_by_text("There is no group called boks.")).to_be_visible()
    page.get_by_text("Did you mean").get_by_role("link", name="books").click()
    expect(page.get_by_role("heading", name="Books")).to_be_visible()


def test_empty_site_invites_to_post(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    page.get_by_role("link", name="Be the first to post").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
