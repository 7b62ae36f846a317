"""Click counts, leaderboards, the activity calendar, and statistics for staff."""

import pytest
from playwright.sync_api import Page

from forum.ledger.archiver import Archiver
from forum.models import User
from forum.store.service import get_voting_service
from tests.browser.pages import visit
from tests.forum.factories import post
from voting.types import Target, Vote

pytestmark = pytest.mark.usefixtures("one_day")


def test_numbers_of_leaders_are_beside_the_first_line_of_a_long_title(
    page: Page, ada: User, bob: User, script: bool
) -> None:
    long = post(ada, "A title that needs more than one line on a phone " * 2)
    get_voting_service().votes.cast(bob.pk, Target(long.pk), Vote.UP)
    Archiver("reader").step(block_ms=1)
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "/leaders")
    title = page.get_by_role("region", name="Posts").get_by_role("link")
    heights = title.evaluate("""link => {
        const text = document.createElement("span")
        text.style.cssText = "display: inline-block; inline-size: 0"
        text.textContent = "1"
        link.before(text)
        const [top, box] = [text.getBoundingClientRect().top, link.getBoundingClientRect()]
        return [Math.abs(top - box.top), box.height]
    }""")
    offset, height = heights
    assert height >= 48, "the title is on one line"
    assert offset < 8, "text beside the title, such as its number, is not at its first line"


def test_names_of_days_and_months_fit_the_calendar_at_any_text_size(
    as_ada: Page,
) -> None:
    page = as_ada
    visit(page, "/u/ada/activity")
    chart = page.locator(".calendar svg")
    for size in (16, 32):
        page.evaluate("size => document.documentElement.style.fontSize = `${size}px`", size)
        whole, name = chart.bounding_box(), chart.locator("text").first.bounding_box()
        assert whole
        assert name
        assert (whole["width"], whole["height"]) == (694 * size / 16, 98 * size / 16)
        assert name["height"] == pytest.approx(14 * size / 16, abs=3 * size / 16)
