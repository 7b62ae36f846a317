"""What a person sees of a post, and what they can press."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Response, expect

from forum.models import Post


def visit(page: Page, address: str) -> Response:
    """Open a page and return what the site answered."""
    answer = page.goto(address)
    assert answer is not None, f"nothing was loaded for {address}"
    return answer


def row(page: Page, post: Post) -> Locator:
    """Return a post's row."""
    return page.locator(f"#post-{post.pk}")


def arrow(page: Page, post: Post, way: str) -> Locator:
    """Return a post's arrow, found by the name that a screen reader says."""
    name = f"{way.capitalize()} vote: {post.title}"
    return row(page, post).get_by_label(name, exact=True)


def expect_vote(page: Page, post: Post, vote: str, points: int) -> None:
    """Expect a row to show the reader's vote, in its arrows too, and the points."""
    shown = row(page, post)
    expect(shown).to_have_attribute("data-vote", vote)
    expect(shown.locator(".points")).to_have_text(f"{points} point{'s' * (points != 1)}")
    for way in ("up", "down"):
        pressed = "true" if vote == way else "false"
        expect(arrow(page, post, way)).to_have_attribute("aria-pressed", pressed)


def leave_mark(page: Page) -> None:
    """Mark the document that is open, to know it again."""
    page.evaluate("() => { window.marked = true }")


def is_marked(page: Page) -> bool:
    """Say whether the marked document is still open: nothing was loaded anew."""
    return bool(page.evaluate("() => window.marked === true"))


def ask_axe(page: Page, **options: list[str]) -> AxeResults:
    """Return what axe finds on the page, into which it is put only once: it is half a megabyte."""
    there = page.evaluate("'axe' in window")
    asked = {"resultTypes": ["violations"]} | options
    return Axe("" if there else AXE_SCRIPT).run(page, options=asked)
