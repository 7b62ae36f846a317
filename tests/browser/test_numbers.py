"""Click counts, leaderboards, the activity calendar, and statistics for staff."""

from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from forum.ledger.archiver import Archiver
from forum.models import User
from forum.store.service import get_voting_service
from tests.browser.pages import row, visit
from tests.forum.factories import groups, person, post
from voting.types import Target, Vote

pytestmark = pytest.mark.usefixtures("one_day")


@pytest.fixture
def far() -> Iterator[str]:
    """The URL of a page outside the site. The test serves this page itself."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<link rel=icon href='data:,'>Far away")

        def log_message(self, *arguments: object) -> None:
            """Don't log requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/far"
        server.shutdown()


def test_click_on_title_leads_to_other_site_and_is_counted(
    page: Page, ada: User, script: bool, far: str
) -> None:
    link = post(ada, "A link out", kind="link", url=far, body="")
    visit(page, "/")
    row(page, link).get_by_role("link", name="A link out", exact=True).click()
    page.wait_for_url(far)
    expect(page.get_by_text("Far away")).to_be_visible()
    assert get_voting_service().posts.rows([link.pk])[0].views == 1


def test_leaders_are_chosen_by_group_span_and_day(
    page: Page, ada: User, bob: User, script: bool
) -> None:
    groups("books", "maths")
    sums = post(ada, "About sums", slugs="maths")
    get_voting_service().votes.cast(bob.pk, Target(sums.pk), Vote.UP)
    Archiver("reader").step(block_ms=1)
    visit(page, "/leaders")
    posts = page.get_by_role("region", name="Posts")
    people = page.get_by_role("region", name="People")
    expect(posts.get_by_role("listitem")).to_have_count(1)
    expect(people.get_by_role("link", name="ada")).to_be_visible()
    page.get_by_label("Group").select_option("books")
    page.get_by_role("button", name="Show").click()
    expect(posts.get_by_text("No posts have points yet.")).to_be_visible()
    page.get_by_label("Group").select_option("maths")
    page.get_by_role("button", name="Show").click()
    expect(posts.get_by_role("link", name="About sums")).to_be_visible()
    page.get_by_role("link", name="A day earlier").click()
    expect(posts.get_by_text("No posts have points yet.")).to_be_visible()
    page.get_by_role("link", name="A day later").click()
    page.get_by_role("link", name="Week").click()
    expect(page.get_by_role("heading", name="Leaders of the week")).to_be_visible()
    posts.get_by_role("link", name="About sums").click()
    expect(page.get_by_role("heading", name="About sums")).to_be_visible()


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


def test_people_see_their_own_activity(as_ada: Page, ada: User, script: bool) -> None:
    activity = get_voting_service().activity
    for ago in (0, 5, 40):
        activity.record(ada.pk, activity.today() - timedelta(days=ago))
    visit(as_ada, "/u/ada/")
    as_ada.get_by_role("link", name="Activity").click()
    expect(as_ada.get_by_role("img", name="Days you visited")).to_be_visible()
    expect(as_ada.get_by_text("3 in the last 53 weeks")).to_be_visible()


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


def test_staff_see_statistics(page: Page, log_in: object) -> None:
    assert callable(log_in)
    log_in(person("stella", is_staff=True))
    visit(page, "/admin/")
    page.get_by_role("link", name="Statistics").click()
    expect(page.get_by_role("img", name="Sign-ups")).to_be_visible()
    page.get_by_text("As a table").click()
    expect(page.get_by_role("table", name="Numbers by day")).to_be_visible()
    expect(page.get_by_role("heading", name="Retention")).to_be_visible()
