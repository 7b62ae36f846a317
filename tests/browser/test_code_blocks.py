"""Blocks of code have colours that can be read, and a button that copies them."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from forum.models import User
from tests.browser.pages import axe_violations
from tests.forum.factories import post

CODE = "```python\n@wraps\nclass A:  # note\n    x = 'text' + str(1)\n```"
DIFF = "```diff\n@@ -1 +1 @@\n-old\n+new\n```"

COLOUR = "part => getComputedStyle(part).color"
WITHOUT_SHADOWS = (
    "document.querySelectorAll('pre').forEach(pre => pre.style.backgroundImage = 'none')"
)
"""Axe measures no contrast over a gradient."""


def test_guest_copies_code_of_a_post(page: Page, context: BrowserContext, ada: User) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(post(ada, body=f"{CODE}\n\n{DIFF}").get_absolute_url())
    page.locator("pre").nth(1).hover()
    page.get_by_role("button", name="Copy").nth(1).click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == "@@ -1 +1 @@\n-old\n+new\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_of_code_have_enough_contrast(page: Page, ada: User, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(post(ada, body=f"{CODE}\n\n{DIFF}").get_absolute_url())
    colours = {page.locator(f"pre .{name}").first.evaluate(COLOUR) for name in "kcsmbdi"}
    assert len(colours | {page.locator("pre").first.evaluate(COLOUR)}) == 7
    page.evaluate(WITHOUT_SHADOWS)
    assert axe_violations(page) == ""
