"""While Redis hangs, pages work and votes are refused. Afterwards votes work again."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from playwright.sync_api import Page, expect

from forum.models import User
from forum.store.service import get_voting_service
from tests.browser.pages import arrow, expect_vote, row, visit
from tests.forum.factories import post
from tests.patience import people_waiting
from tests.voting.servers import stand_still
from tests.waiting import until
from voting.embedded.valkey import Embedded

pytestmark = pytest.mark.faults

Hanging = Callable[[], AbstractContextManager[None]]
RESTING = "Voting and rankings are temporarily unavailable."
REFUSED = "Voting is temporarily unavailable. Your vote was not counted."


@pytest.fixture
def hanging(valkey: Embedded) -> Hanging:
    """Return a context manager that suspends Redis during a `with` block."""

    @contextmanager
    def hang() -> Iterator[None]:
        stand_still(valkey.pid)
        try:
            with people_waiting():
                yield
        finally:
            os.kill(valkey.pid, signal.SIGCONT)
            until(get_voting_service().maintenance.generations.current, "voting works again")

    return hang


def test_pages_come_from_sql_with_a_notice_and_recover(
    as_bob: Page, ada: User, hanging: Hanging, script: bool
) -> None:
    page = as_bob
    older, newer = post(ada, "Older"), post(ada, "Newer")
    with hanging():
        for address in ("/", "/new", "/g/books/", "/g/", "/u/ada/", newer.get_absolute_url()):
            answer = visit(page, address)
            assert answer.status == 200
            expect(page.get_by_role("status").get_by_text(RESTING)).to_be_visible()
        page.goto("/")
        for written in (older, newer):
            expect(row(page, written)).to_contain_text(written.title)
            expect(arrow(page, written, "up")).to_be_disabled()
            expect(arrow(page, written, "up")).to_have_attribute(
                "title", "Voting is temporarily unavailable"
            )
    page.reload()
    expect(page.get_by_text(RESTING)).to_have_count(0)
    arrow(page, older, "up").click()
    expect_vote(page, older, "up", 2)


def test_vote_is_refused_with_a_message_and_counted_when_tried_again(
    as_bob: Page, ada: User, hanging: Hanging, script: bool
) -> None:
    page, written = as_bob, post(ada)
    page.goto("/")
    with hanging(), page.expect_response("**/vote") as answer:
        arrow(page, written, "up").click()
        expect(page.get_by_text(REFUSED)).to_be_visible()
    assert answer.value.status == 503
    assert answer.value.headers["retry-after"] == "5"
    if not script:
        page.goto("/")
    expect_vote(page, written, "none", 1)
    arrow(page, written, "up").click()
    expect_vote(page, written, "up", 2)
    expect(page.get_by_text(REFUSED)).to_have_count(0)
