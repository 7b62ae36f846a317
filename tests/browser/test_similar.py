"""Similar posts are listed below each post, and below the title that an author types."""

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from tests.browser.pages import PHONE, axe_violations, visit
from tests.forum.factories import post, posts

pytestmark = pytest.mark.long
SIMILAR = "Posts with a similar title:"


def test_similar_titles_appear_while_typing(as_ada: Page, bob: User, script: bool) -> None:
    page, title = as_ada, as_ada.get_by_label("Title")
    known = post(bob, "Growing tea at home")
    visit(page, "/submit")
    title.press_sequentially("Growing tea indoors")
    if not script:
        page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text(SIMILAR)).to_be_visible()
    expect(page.get_by_role("link", name=known.title)).to_have_attribute(
        "href", known.get_absolute_url()
    )
    if script:
        assert not axe_violations(page)
    title.fill("Knots for sailors")
    if not script:
        page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text(SIMILAR)).to_have_count(0)


def test_guest_follows_a_similar_post_on_a_phone(page: Page, ada: User, script: bool) -> None:
    posts(ada, 5, "Knots {}")
    written, other = post(ada, "家庭种植茶树的方法"), post(ada, "茶树种植：从入门到放弃")  # noqa: RUF001
    page.set_viewport_size(PHONE)
    visit(page, written.get_absolute_url())
    if script:
        assert not axe_violations(page)
    page.get_by_role("region", name="Similar posts").get_by_role("link", name=other.title).click()
    expect(page.get_by_role("heading", name=other.title)).to_be_visible()
