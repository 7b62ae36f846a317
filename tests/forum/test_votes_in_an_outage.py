"""While Redis is down, pages show people their own votes from SQL."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions import following
from forum.ledger.archiver import archive_rest
from forum.models import Post, User
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_html, vote
from tests.forum.factories import post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)
NEITHER, UP, DOWN = (False, False), (True, False), (False, True)


def archive() -> None:
    """Copy all new votes from Redis to SQL."""
    archive_rest(get_voting_service().maintenance.generations.current())


def pressed(html: str, on: Post) -> tuple[bool, bool]:
    """Return whether a post's up and down arrows look pressed. Fails unless both are disabled."""
    return _pressed(html.partition(f'id="post-{on.pk}"')[2].partition("</article>")[0])


def _pressed(comment_html: str) -> tuple[bool, bool]:
    arrows = re.findall(r'<button class="arrow \w+" disabled aria-pressed="(\w+)"', comment_html)
    up, down = (found == "true" for found in arrows)
    return up, down


@pytest.mark.parametrize("path", ["/", "/g/books/", "/following", "/u/ada/"])
def test_lists_mark_own_votes(path: str, ada: User, bob: User, settings: Any) -> None:
    liked, disliked, neither = (post(ada, title) for title in ("Good", "Bad", "Unknown"))
    get_voting_service().votes.cast(bob.pk, Target(liked.pk), Vote.UP)
    get_voting_service().votes.cast(bob.pk, Target(disliked.pk), Vote.DOWN)
    following.set_follow(bob, ada, on=True)
    archive()
    window = reader(bob)
    with redis_down(settings):
        html, guests = get_html(path, window), get_html("/")
    assert [pressed(html, one) for one in (liked, disliked, neither)] == [UP, DOWN, NEITHER]
    assert pressed(guests, liked) == NEITHER


def test_thread_marks_own_votes_on_the_post_and_comments(
    ada: User, bob: User, settings: Any
) -> None:
    written = post(ada)
    first, second, third = (add_comment(ada, written, text) for text in ("One.", "Two.", "Three."))
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.DOWN)
    vote(bob, first, Vote.UP)
    vote(bob, second, Vote.DOWN)
    archive()
    window = reader(bob)
    with redis_down(settings):
        html = get_html(written.get_absolute_url(), window)
        alone = get_html(first.get_absolute_url(), window)
    assert pressed(html, written) == DOWN
    votes = [_pressed(comment_html(html, each)) for each in (first, second, third)]
    assert votes == [UP, DOWN, NEITHER]
    assert _pressed(comment_html(alone, first)) == UP


def test_own_votes_take_one_query_however_many_there_are(
    ada: User, bob: User, settings: Any
) -> None:
    written = post(ada)
    window = reader(bob)
    found = set()
    for _ in range(2):
        for _ in range(3):
            vote(bob, add_comment(ada, written), Vote.UP)
            post(ada)
        archive()
        with redis_down(settings):
            for path in ("/", written.get_absolute_url()):
                with CaptureQueriesContext(connection) as queries:
                    get_html(path, window)
                on_votes = [query for query in queries if "archivedvote" in query["sql"]]
                found.add((path, len(on_votes)))
    assert found == {("/", 1), (written.get_absolute_url(), 1)}
