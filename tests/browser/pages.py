"""Finds and clicks posts on pages in the browser, and checks layout and accessibility."""

import re
from typing import Any

from axe_playwright_python.base import AXE_FILE_PATH, AxeResults
from django.conf import settings
from playwright.sync_api import Locator, Page, Response, ViewportSize, expect

from forum.models import Post

SCREEN = ViewportSize(width=1280, height=720)
PHONE = ViewportSize(width=320, height=640)
SLOWER = 700
"""Milliseconds to wait between two clicks, so that they don't count as a double click."""
RUN_AXE = "async options => (({ violations }) => ({ violations }))(await axe.run(options))"
VIOLATIONS: dict[str, Any] = {"resultTypes": ["violations"]}
TARGETS = "target-size"
"""The axe rule for the size of buttons (WCAG 2.2 AA). By default, axe doesn't check this rule."""
COLOURS = ["color-contrast", "link-in-text-block"]
"""The axe rules about colours, the only rules to check in dark mode.

Dark mode changes nothing but colours.
"""


def visit(page: Page, address: str) -> Response:
    """Open a page in the browser and return the response."""
    answer = page.goto(address)
    assert answer is not None, f"nothing was loaded for {address}"
    return answer


def comment_box(page: Page) -> Locator:
    """Return the text box for a comment on the post. Unfolds its form, as people do."""
    folded = page.locator("details.write:not([open]) > summary")
    if folded.count():
        folded.click()
    return page.get_by_label("Your comment")


def row(page: Page, post: Post) -> Locator:
    """Return a post's row in the listing that the page shows."""
    return page.locator(f"#post-{post.pk}")


def arrow(page: Page, post: Post, way: str) -> Locator:
    """Return the "up" or "down" arrow in a post's row, found by the arrow's accessible name."""
    name = f"{way.capitalize()} vote: {post.title}"
    return row(page, post).get_by_label(name, exact=True)


def expect_vote(page: Page, post: Post, vote: str, points: int) -> None:
    """Expect a post's row, or the head of its page, to show the viewer's vote and its points."""
    shown = row(page, post)
    expect(shown).to_have_attribute("data-vote", vote)
    expect(shown).not_to_have_attribute("aria-busy", "true")  # the site has answered
    expect(shown.locator(".points")).to_have_text(re.compile(rf"^{points}( points?)?$"))
    for way in ("up", "down"):
        pressed = "true" if vote == way else "false"
        expect(arrow(page, post, way)).to_have_attribute("aria-pressed", pressed)


def mark_document(page: Page) -> None:
    """Mark the document that is open now, so that `is_marked` can recognise it."""
    page.evaluate("() => { window.marked = true }")


def is_marked(page: Page) -> bool:
    """Return whether the document marked by `mark_document` is still open (no page was loaded)."""
    return bool(page.evaluate("() => window.marked === true"))


def open_box(page: Page) -> Locator:
    """Open the comment box of a post's page, unless a draft opened it, and return its field."""
    summary = page.locator(".write > summary")
    if not page.locator(".write[open]").count():
        summary.click()
    return page.locator(".write textarea")


def unfold(page: Page) -> None:
    """Open all folded parts of the page."""
    page.evaluate("() => document.querySelectorAll('details').forEach(one => (one.open = true))")


def too_wide(page: Page) -> str:
    """Return a text that says how much wider than the window the page is; "" if the page fits."""
    pixels = page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth")
    return f"{pixels} pixels too wide" if pixels > 0 else ""


def axe_violations(page: Page) -> str:
    """Return the accessibility errors that axe finds, in light mode and in dark mode."""
    page.add_script_tag(url=f"{settings.STATIC_URL}{AXE_FILE_PATH.name}")
    page.emulate_media(color_scheme="light")
    light = _found(page)
    page.emulate_media(color_scheme="dark")
    dark = _found(page, runOnly=COLOURS)
    page.emulate_media(color_scheme="light")
    return "".join(
        f"in {name}: {found}" for name, found in (("light", light), ("dark", dark)) if found
    )


def too_small(page: Page) -> str:
    """Return the links and buttons that are smaller than 24 pixels and too close to others.

    First closes the header's menu, because the open menu covers other buttons. Call
    `axe_violations` before this function, because it loads the axe library.
    """
    page.evaluate("() => document.querySelectorAll('.menu').forEach(one => (one.open = false))")
    return _found(page, runOnly=[TARGETS])


def expect_sound(page: Page, script: bool) -> None:
    """Expect the page to be no wider than the window.

    With JavaScript, also expect no axe violations and no buttons that are too small.
    """
    page.wait_for_load_state()
    assert not too_wide(page), page.url
    if script:
        assert not axe_violations(page), page.url
        assert not too_small(page), page.url


def _found(page: Page, **options: Any) -> str:
    found = AxeResults(page.evaluate(RUN_AXE, VIOLATIONS | options))
    return str(found.generate_report()) if found.violations_count else ""
