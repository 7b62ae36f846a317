"""The sentence beside a vote that waits, in lists, on a post's page and in comments."""

from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from forum.models import Comment, Post, User
from tests.browser.pages import SLOWER, arrow, row
from tests.forum.comments import add_comment
from tests.forum.factories import post
from tests.forum.voting_sites import cast, newcomers, older_person

NOTE = "Counts from tomorrow"
OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def voted() -> tuple[Post, Comment, User]:
    """A post, a comment on it, and a new person whose votes on both would wait."""
    author = older_person("author")
    written = post(author, "Words enough for two lines on a phone, or nearly so")
    comment = add_comment(author, written)
    *others, fourth = newcomers(4)
    for who in others:
        cast(who, written)
        cast(who, comment)
    return written, comment, fourth


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_sentence_stands_in_the_row_and_breaks_nothing(
    page: Page,
    log_in: Callable[[User], None],
    voted: tuple[Post, Comment, User],
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    written, comment, person = voted
    log_in(person)
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto("/new")
    arrow(page, written, "up").click()
    note = row(page, written).locator(".vote-note")
    expect(note).to_contain_text(NOTE)
    expect(arrow(page, written, "up")).to_have_accessible_description(note.inner_text())
    assert not page.evaluate(OVERFLOW)
    page.goto(written.get_absolute_url())
    expect(row(page, written).locator(".vote-note")).to_contain_text(NOTE)
    shown = page.locator(f"#comment-{comment.pk}")
    shown.locator(".arrow.down").click()
    expect(shown.locator(".vote-note")).to_contain_text(NOTE)
    assert not page.evaluate(OVERFLOW)
    page.wait_for_timeout(SLOWER)
    shown.locator(".arrow.down").click()
    expect(shown.locator(".vote-note")).to_have_count(0)
