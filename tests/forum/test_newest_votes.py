"""Lists of newest comments show points, and people can vote and reply there."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from forum.ledger.archiver import archive_rest
from forum.models import ArchivedVote, Comment, Post, User
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_html, vote
from tests.forum.factories import make_older, person, post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.round_trips import counted_round_trips
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)


def paths(on: Post) -> list[str]:
    """Return the URLs of the three pages that list Ada's comment as one of the newest."""
    return ["/comments", f"/p/{on.pk}/comments", "/u/ada/comments"]


def pressed(html: str, comment: Comment) -> list[str]:
    """Return which vote arrows of a comment ("up", "down") look pressed."""
    return re.findall(r'class="arrow (\w+)"[^>]*aria-pressed="true"', comment_html(html, comment))


def test_every_page_shows_points_own_votes_and_reply_links(
    ada: User, bob: User, written: Post
) -> None:
    liked, disliked = add_comment(ada, written, "One."), add_comment(ada, written, "Two.")
    vote(bob, liked, Vote.UP)
    vote(bob, disliked, Vote.DOWN)
    for path in paths(written):
        html = get_html(path, reader(bob))
        assert "2 points" in comment_html(html, liked), path
        assert "0 points" in comment_html(html, disliked), path
        assert (pressed(html, liked), pressed(html, disliked)) == (["up"], ["down"]), path
        assert f'href="{liked.get_absolute_url()}#reply"' in comment_html(html, liked), path
        assert f'formaction="{liked.get_absolute_url()}/vote"' in comment_html(html, liked), path


def test_guest_who_votes_is_asked_to_log_in_and_returns(ada: User, written: Post) -> None:
    comment = add_comment(ada, written)
    for path in paths(written):
        found = comment_html(get_html(path), comment)
        assert f"next={path}%23comment-{comment.pk}" in found
        assert f"comment={comment.pk}" in found


def test_vote_returns_to_the_page(ada: User, bob: User, written: Post) -> None:
    comment = add_comment(ada, written)
    form = {"vote": "up", "next": "/comments?before=900"}
    response = reader(bob).post(f"{comment.get_absolute_url()}/vote", form)
    assert response["Location"] == f"/comments?before=900#comment-{comment.pk}"


def test_votes_that_only_the_database_knows_are_shown(
    ada: User, bob: User, written: Post, redis: Redis, settings: Any
) -> None:
    own, other = add_comment(ada, written), add_comment(ada, post(ada))
    vote(bob, own, Vote.DOWN)
    archive_rest(get_voting_service().maintenance.generations.current())
    window = reader(bob)
    with redis_down(settings):
        for path in paths(written):
            html = get_html(path, window)
            assert pressed(html, own) == ["down"], path
            assert comment_html(html, own).count("disabled") == 2
        assert pressed(html, other) == []
    Comment.objects.update(created_at=timezone.now() - timedelta(days=40))
    make_older(redis, written, days=41)
    for comment in Comment.objects.all():
        outbox.add(PostSync(comment.post_id, comment.pk))
    html = get_html("/comments", window)
    assert pressed(html, own) == ["down"]
    assert "Voting has closed" in comment_html(html, own)
    assert ArchivedVote.objects.filter(user_id=bob.pk).count() == 1


def test_votes_on_many_posts_take_one_round_trip(
    ada: User, bob: User, written: Post, settings: Any
) -> None:
    for number in range(20):
        add_comment(ada, post(person(f"p{number}"), f"Post {number}"))
    trips = {}
    with counted_round_trips(settings) as (to_voting, _to_cache):
        for path in ("/comments", "/u/ada/comments"):
            window = reader(bob)
            window.get(path)
            with to_voting.counting():
                get_html(path, window)
            trips[path] = to_voting.round_trips
    assert trips == {"/comments": 1, "/u/ada/comments": 1}


def test_header_links_to_the_newest_comments(written: Post) -> None:
    head = get_html("/comments").partition("</header>")[0]
    assert re.search(r'<a [^>]*href="/comments" aria-current="page">Comments</a>', head)
