"""A site may hide the scores of young posts and comments, from everybody and everywhere."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.actions import mail_queue
from forum.actions import posts as post_actions
from forum.api import tokens
from forum.ledger.archiver import archive_rest
from forum.models import Post, User
from forum.store.service import get_voting_service
from forum.web import score_addresses
from tests.forum.comments import add_comment
from tests.forum.factories import (
    make_older,
    next_link,
    person,
    person_with_email,
    post,
    posts,
    reader,
)
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids, titles
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)
HIDDEN = '<span class="points">score hidden</span>'
Call = Callable[..., Any]


@pytest.fixture(autouse=True)
def _hidden_for_six_hours(settings: Any) -> None:
    settings.HIDE_SCORES_HOURS = 6


@pytest.fixture
def bread(ada: User, bob: User) -> Post:
    """Ada's post with 8 points, and a comment on it by Bob with 8 points."""
    written = post(ada, "Bread", slugs="books")
    comment = add_comment(bob, written, "Which bread?")
    for number in range(7):
        voter = person(f"voter{number}")
        for target in (Target(written.pk), Target(written.pk, comment.pk)):
            get_voting_service().votes.cast(voter.pk, target, Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())
    return written


@pytest.fixture
def call(ada: User) -> Call:
    """Return a function that sends a request to the API with Ada's token."""
    token = tokens.create(user=ada, name="Script", scopes=["read", "vote", "write"])

    def send(path: str, body: Any = None) -> Any:
        client = Client(headers={"Authorization": f"Bearer {token}"})
        path = path if path.startswith("/") else f"/api/v1/{path}"
        if body is None:
            return client.get(path).json()
        return client.post(path, body, content_type="application/json").json()

    return send


def grow_older(written: Post, hours: int) -> None:
    """Make a post and its comments some hours older."""
    then = timezone.now() - timedelta(hours=hours)
    Post.objects.filter(pk=written.pk).update(created_at=then)
    written.comments.update(created_at=then)


def pages_of(written: Post) -> list[str]:
    comment = written.comments.get()
    return [
        *("/new", "/g/books/new", "/u/ada/", "/u/bob/comments", "/comments", "/search?q=bread"),
        *(f"/p/{written.pk}/bread", f"/p/{written.pk}/c/{comment.pk}", "/leaders"),
    ]


def test_pages_show_no_number_in_the_first_hours(
    bread: Post, ada: User, stella: User, settings: Any
) -> None:
    for user in (None, ada, stella):
        for path in pages_of(bread):
            html = get_html(path, user)
            assert "score hidden" in html, path
            for sign in (
                "8 points",
                "points, by",
                "data-points",
                "data-ups",
                "upvoteCount",
                "8 up",
            ):
                assert sign not in html, (path, sign)
            assert "Why is this here?" not in html
    settings.HIDE_SCORES_HOURS = 0
    for path in pages_of(bread):
        html = get_html(path)
        assert "score hidden" not in html
        assert "8 points" in html or "7 points" in html, path


def test_pages_hide_scores_while_redis_is_down(bread: Post, settings: Any) -> None:
    with redis_down(settings):
        for path in ("/new", f"/p/{bread.pk}/bread", "/u/ada/"):
            html = get_html(path)
            assert HIDDEN in html
            assert "8 points" not in html


def test_cached_rows_and_comments_show_the_score_when_the_hours_are_over(
    bread: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ("/new", f"/p/{bread.pk}/bread", "/comments")
    for path in paths:
        assert HIDDEN in get_html(path)
    posted_at = Post.objects.get().posted_at
    for later, is_hidden in ((6 * 3_600 - 60, True), (6 * 3_600 + 60, False)):
        now = partial(float, posted_at + later)
        monkeypatch.setattr("forum.config.hidden_scores.time", now)
        for path in paths:
            html = get_html(path)
            assert (HIDDEN in html, "8 points" in html) == (is_hidden, not is_hidden), path


def test_own_vote_stays_visible_and_the_answer_has_no_number(bread: Post, ada: User) -> None:
    cleo = person("cleo")
    window, comment = reader(cleo), bread.comments.get()
    for path, anchor in (
        (f"/p/{bread.pk}/vote", f"post-{bread.pk}"),
        (f"/p/{bread.pk}/c/{comment.pk}/vote", f"comment-{comment.pk}"),
    ):
        answer = window.post(path, {"vote": "up"}, headers={"X-Fragment": "1"}).content.decode()
        assert HIDDEN in answer
        assert not re.search(r"data-(points|ups|downs)|\d+ points?", answer)
        assert f'id="{anchor}" data-vote="up"' in answer
    html = get_html(f"/p/{bread.pk}/bread", cleo)
    assert html.count('data-vote="up"') == 2


def test_programs_get_null_and_their_own_vote(bread: Post, call: Call) -> None:
    comment = bread.comments.get()
    nothing = {"points": None, "up": None, "down": None}
    found = [
        call("lists/new")["items"][0],
        call(f"posts/{bread.pk}"),
        call("people/ada/posts")["items"][0],
        call(f"comments/{comment.pk}"),
        call("comments")["items"][0],
        call(f"posts/{bread.pk}/comments")["items"][0],
        call(f"comments/{comment.pk}/vote", {"vote": "up"}),
        call(f"posts/{bread.pk}/vote", {"vote": "down"}),
    ]
    for one in found:
        assert one | nothing == one
    assert [one["vote"] for one in found] == [1, 1, 1, 0, 0, 0, 1, -1]
    assert {one["points"] for one in call("search?q=bread")["items"]} == {None}
    assert [one["points"] for one in call("leaders")["posts"]] == [None]
    standing = call(f"posts/{bread.pk}/standing")
    assert standing["rank"] == 1
    for name in ("counts_as", "vote_hours", "votes_to_next"):
        assert standing[name] is None


def test_lobsters_addresses_get_null(bread: Post, call: Call) -> None:
    story = call(f"/s/{bread.pk}.json")
    for one in (story, story["comments"][0], call("/hottest.json")[0], call("/newest.json")[0]):
        assert (one["score"], one["flags"]) == (None, None)


def test_feeds_show_no_number(bread: Post) -> None:
    for path in ("/new.atom", "/feed.atom", "/comments.atom", f"/p/{bread.pk}.atom"):
        answer = reader().get(path)
        assert "point" not in answer.content.decode()


def test_lists_are_sorted_by_all_votes(bread: Post, ada: User) -> None:
    post(ada, "Newer")
    assert titles(get_html("/top")) == ["Bread", "Newer"]


def test_older_posts_show_their_scores_and_not_how_to_pass_others(
    bread: Post, ada: User, call: Call, redis: Redis
) -> None:
    make_older(redis, bread, days=1)
    young = post(ada, "Young")
    html = get_html(f"/p/{bread.pk}/bread")
    assert "8 points" in html
    assert "Why is this here?" in html
    assert "To move up" not in html
    assert call(f"posts/{bread.pk}")["points"] == 8
    standing = call(f"posts/{bread.pk}/standing")
    assert (standing["next"], standing["votes_to_next"]) == (young.pk, None)
    assert standing["vote_hours"]


def test_search_for_points_finds_no_hidden_scores(bread: Post, call: Call) -> None:
    assert call("search?q=bread+points:>5")["items"] == []
    assert call("search?q=bread+points:<50")["items"] == []
    grow_older(bread, 7)
    assert {one["points"] for one in call("search?q=bread+points:>5")["items"]} == {8}


@pytest.mark.parametrize("order", ["", "top?t=all", "new"])
def test_addresses_of_next_pages_do_not_give_scores_away(ada: User, order: str) -> None:
    written = [one.pk for one in posts(ada, 52)]
    first = get_html(f"/{order}")
    assert re.search(r"after=[0-9a-f]{48}_", next_link(first))
    post_actions.delete(Post.objects.get(pk=written[51]))
    second = get_html(next_link(first))
    third = get_html(next_link(second))
    assert [pk for html in (first, second, third) for pk in post_ids(html)] == written[::-1]
    for wrong in ("zzzz_1", "7ff8000000000000_1x", "1.2.3_4"):
        assert reader().get(f"/new?p=2&after={wrong}").status_code == 404


def test_scores_in_addresses_are_read_only_for_the_same_post_or_comment() -> None:
    for score in (1_796_000_000.0, -3.5, 0.0):
        address = score_addresses.write(score, 5, 7)
        assert score_addresses.read(address, 5, 7) == score
        assert score_addresses.read(address, 5) is None
        assert score_addresses.read(address, 6, 7) is None


def test_pages_of_a_search_go_on_and_do_not_give_scores_away(
    ada: User, call: Call, settings: Any
) -> None:
    settings.PAGE_SIZE = 2
    for number in range(5):
        post(ada, f"Bread {number}")
    for order in ("relevance", "points", "date"):
        page = call(f"search?q=bread&order={order}")
        found = [one["title"] for one in page["items"]]
        assert re.search(r"after=[0-9a-f]{48}_", page["next"])
        while page["next"]:
            page = call(f"search?{page['next'].partition('?')[2]}")
            found += [one["title"] for one in page["items"]]
        assert found == [f"Bread {number}" for number in (4, 3, 2, 1, 0)]


def test_digest_and_preview_image_show_no_number(bread: Post, settings: Any) -> None:
    def image() -> str:
        found = re.search(r'og:image" content="([^"]+)"', get_html(f"/p/{bread.pk}/bread"))
        assert found
        return found[1]

    young = image()
    day_ago = timezone.now() - timedelta(days=1, minutes=1)
    person_with_email("dora", digest="daily", digest_at=day_ago)
    mail_queue.enqueue_digests()
    mail_queue.send_waiting(Event())
    (sent,) = mail.outbox
    assert "Bread (score hidden, ada)" in sent.body
    settings.HIDE_SCORES_HOURS = 0
    assert image() != young


def test_moderators_see_no_score_when_they_merge(bread: Post, ada: User, stella: User) -> None:
    other = post(ada, "Other")
    form = {"into": f"/p/{other.pk}", "reason": "same", "preview": "1"}
    html = reader(stella).post(f"/p/{bread.pk}/merge", form).content.decode()
    assert html.count("score hidden") == 2
    assert "8 up" not in html


def test_the_about_page_says_how_long_scores_are_hidden(settings: Any) -> None:
    assert "hidden for the first 6 hours" in get_html("/about")
    settings.HIDE_SCORES_HOURS = 0
    assert "hidden for the first" not in get_html("/about")
