"""Voting with and without JavaScript, invalid requests, closed voting, and outages."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import ArchivedVote, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import make_older, person, post, reader
from tests.forum.outages import redis_down
from voting.types import Row, Vote
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPT = {"X-Fragment": "1"}


def press(window: Client, written: Post, vote: str, next_url: str = "/", **more: Any) -> Any:
    return window.post(f"/p/{written.pk}/vote", {"vote": vote, "next": next_url}, **more)


def row(written: Post, someone: User) -> Row:
    return get_voting_service().posts.rows([written.pk], viewer=someone.pk)[0]


def test_vote_without_script_returns_to_the_row(bob: User, written: Post) -> None:
    response = press(reader(bob), written, "up", "/new?p=1")
    assert response.status_code == 303
    assert response["Location"] == f"/new?p=1#post-{written.pk}"
    assert (row(written, bob).vote, row(written, bob).up) == (Vote.UP, 2)


def test_the_same_vote_again_changes_nothing_and_the_other_one_switches(
    bob: User, written: Post
) -> None:
    window = reader(bob)
    for vote in ("up", "up", "down"):
        press(window, written, vote)
    seen = row(written, bob)
    assert (seen.vote, seen.up, seen.down) == (Vote.DOWN, 1, 1)


def test_pressing_an_active_arrow_removes_the_vote(bob: User, written: Post) -> None:
    window = reader(bob)
    press(window, written, "up")
    html = window.get("/").content.decode()
    assert 'name="vote" value="none" aria-pressed="true" aria-label="Up vote: A title"' in html
    assert 'name="vote" value="down" aria-pressed="false" aria-label="Down vote: A title"' in html
    press(window, written, "none")
    assert row(written, bob).vote is Vote.NONE


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""]
)
def test_vote_never_redirects_to_another_site(bob: User, written: Post, elsewhere: str) -> None:
    response = press(reader(bob), written, "up", elsewhere)
    assert response["Location"] == f"/p/{written.pk}#post-{written.pk}"


def test_fragment_of_the_return_address_is_replaced_by_the_row(bob: User, written: Post) -> None:
    response = press(reader(bob), written, "up", "/new#post-1")
    assert response["Location"] == f"/new#post-{written.pk}"


def test_vote_by_script_returns_only_the_row(bob: User, written: Post) -> None:
    html = press(reader(bob), written, "up", headers=SCRIPT).content.decode()
    assert html.startswith(f'<article class="row" id="post-{written.pk}" data-points="2"')
    assert html.endswith("</article>")
    assert '<h2 class="title">' in html
    assert 'data-vote="up"' in html


def test_vote_by_script_on_the_posts_page_returns_its_large_title(bob: User, written: Post) -> None:
    answer = press(reader(bob), written, "up", headers={"X-Fragment": "post"})
    assert '<h1 class="title">' in answer.content.decode()


def test_a_vote_by_get_changes_nothing_and_is_refused(bob: User, written: Post) -> None:
    response = reader(bob).get(f"/p/{written.pk}/vote?vote=up")
    assert response.status_code == 405
    assert response["Allow"] == "POST"
    assert "only receives submitted forms" in response.content.decode()
    assert row(written, bob).vote is Vote.NONE


@pytest.mark.parametrize("word", ["", "UP", "sideways", "1"])
def test_invalid_vote_is_refused(bob: User, written: Post, word: str) -> None:
    response = press(reader(bob), written, word)
    assert response.status_code == 400
    assert "use up, down or none." in response.content.decode()


def test_vote_without_a_token_is_refused_with_a_message(bob: User, written: Post) -> None:
    response = press(reader(bob, enforce_csrf_checks=True), written, "up")
    assert response.status_code == 403
    page = response.content.decode()
    assert "<h1>Page expired</h1>" in page
    assert "This page has expired" in page
    assert "Reload the page and try again." in page


def test_late_vote_says_when_voting_closed_and_the_existing_vote(
    bob: User, written: Post, redis: Redis
) -> None:
    press(reader(bob), written, "down")
    Post.objects.filter(pk=written.pk).update(down=1)
    make_older(redis, written, days=8)
    response = press(reader(bob), written, "up")
    html = response.content.decode()
    assert response.status_code == 409
    assert "Voting closed on" in html
    assert f'href="/p/{written.pk}"' in html
    refused = press(reader(bob), written, "up", headers=SCRIPT)
    assert refused.status_code == 409
    assert refused["Content-Type"] == "text/plain; charset=utf-8"
    assert refused.content.decode().startswith("Voting closed on")


def test_vote_long_after_closing_shows_the_archived_vote(
    bob: User, written: Post, redis: Redis
) -> None:
    ArchivedVote.objects.create(user_id=bob.pk, post_id=written.pk, vote=-1, at=timezone.now())
    make_older(redis, written, days=40)
    assert "You voted down." in press(reader(bob), written, "up").content.decode()
    ArchivedVote.objects.all().delete()
    assert "You did not vote." in press(reader(bob), written, "up").content.decode()


@pytest.mark.parametrize("headers", [{}, SCRIPT])
def test_vote_on_a_deleted_post_says_that_it_is_deleted(
    bob: User, written: Post, headers: Any
) -> None:
    comment = comment_actions.write(author=bob, post=written, parent=None, body="Words.")
    on_it, vote = f"/p/{written.pk}/c/{comment.pk}/vote", {"vote": "down"}
    comment_actions.delete(comment, by=bob)
    assert reader(written.author).post(on_it, vote, headers=headers).status_code == 410
    post_actions.delete(written)
    assert press(reader(bob), written, "up", headers=headers).status_code == 410


@pytest.mark.parametrize("headers", [{}, SCRIPT])
def test_vote_on_an_unknown_post_is_not_found(bob: User, headers: Any) -> None:
    answer = reader(bob).post("/p/999/vote", {"vote": "up"}, headers=headers)
    assert answer.status_code == 404


@pytest.mark.parametrize("headers", [{}, SCRIPT])
def test_vote_while_redis_is_down_is_asked_to_try_again(
    bob: User, written: Post, settings: Any, headers: Any
) -> None:
    window = reader(bob)
    with redis_down(settings):
        response = press(window, written, "up", headers=headers)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "Your vote was not counted" in response.content.decode()


def test_new_people_who_vote_fast_read_that_their_limits_are_lower(settings: Any) -> None:
    written = post(person("ada"))
    settings.LIMITS_NEW = settings.LIMITS_NEW | {"vote": (Window(1, 60),)}
    window = reader(person("newt"))
    answers = [press(window, written, vote) for vote in ("up", "down")]
    assert [answer.status_code for answer in answers] == [303, 429]
    assert "New accounts have lower limits." in answers[1].content.decode()
