"""Pages that show comments as a flat list, newest first, instead of as threads."""

import pytest
from playwright.sync_api import Page

from forum.models import User
from tests.browser.pages import axe_violations, too_wide, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post

pytestmark = pytest.mark.long

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


def test_newest_comments_fit_every_screen(page: Page, ada: User, bob: User) -> None:
    written = post(ada, LONG)
    first = add_comment(bob, written, f"{LONG} https://example.org/{LONG}{LONG}\n\n    code {LONG}")
    add_comment(ada, written, "> quoted\n\nA reply with `code`.", to=first)
    for address in (f"/p/{written.pk}/comments", "/comments", "/comments?before=1"):
        visit(page, address)
        for width in (1280, 320):
            page.set_viewport_size({"width": width, "height": 640})
            wide = too_wide(page)
            assert not wide, f"{address} at {width}: {wide}"
        found = axe_violations(page)
        assert not found, f"{address} {found}"
