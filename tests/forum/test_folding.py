"""Posts and comments by people whom the viewer has blocked are folded; the viewer can open them."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import following
from forum.models import Block, Comment, Post, User
from tests.forum.comments import add_comment, comment_ids, page
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from voting.keys import people

pytestmark = pytest.mark.django_db(transaction=True)


def folded_items(html: str) -> list[str]:
    """Return the summary line of each folded item on a page, with the id of the content inside."""
    fold = r'<details class="blocked"> <summary>([^<]*)</summary><article [^>]*id="([^"]*)"'
    return [f"{line} ({inside})" for line, inside in re.findall(fold, html)]


@pytest.fixture
def blocked(ada: User, bob: User) -> Post:
    """A post by Ada, whom Bob has blocked."""
    written = post(ada, "By Ada")
    following.block(bob, ada, on=True)
    return written


@pytest.mark.parametrize("path", ["/", "/new", "/g/books/", "/g/books+maths/", "/following"])
def test_lists_fold_posts_of_blocked_people_to_one_line(
    bob: User, blocked: Post, path: str
) -> None:
    other = post(person("carol"), "By Carol", slugs="books maths")
    following.set_follow(bob, other.groups.get(slug="books"), on=True)
    html = get_html(path, bob)
    assert folded_items(html) == [f"Post by ada, whom you blocked (post-{blocked.pk})"]
    assert f'id="post-{other.pk}"' in html
    assert folded_items(get_html("/")) == [], "guests see nothing folded"


def test_lists_fold_posts_of_blocked_people_while_redis_is_down(
    bob: User, blocked: Post, settings: Any
) -> None:
    window = reader(bob)
    with redis_down(settings):
        assert len(folded_items(get_html("/", window))) == 1


def test_posts_are_not_folded_on_the_persons_own_pages(ada: User, bob: User, blocked: Post) -> None:
    add_comment(ada, blocked)
    window = reader(bob)
    for path in (blocked.get_absolute_url(), "/u/ada/", "/u/ada/comments"):
        assert f"Post by ada{', whom you blocked'}" not in get_html(path, window), path
    assert folded_items(get_html("/u/ada/comments", window)) == []


def test_a_thread_folds_the_comment_and_not_the_replies_to_it(
    ada: User, bob: User, blocked: Post
) -> None:
    comment = add_comment(ada, blocked)
    reply = add_comment(person("carol"), blocked, to=comment)
    html = page(blocked, window=reader(bob))
    assert folded_items(html) == [f"Comment by ada, whom you blocked (comment-{comment.pk})"]
    assert comment_ids(html) == [comment.pk, reply.pk]
    comment_actions.delete(comment, by=ada)
    html = page(blocked, window=reader(bob))
    assert folded_items(html) == [], "a deleted comment has nothing to fold"


def test_newest_comments_fold_comments_of_blocked_people(
    ada: User, bob: User, blocked: Post
) -> None:
    comment = add_comment(ada, blocked)
    add_comment(bob, blocked, "Mine.")
    for path in ("/comments", f"/p/{blocked.pk}/comments"):
        html = get_html(path, bob)
        assert folded_items(html) == [f"Comment by ada, whom you blocked (comment-{comment.pk})"]


def test_comments_of_blocked_people_are_not_counted_as_new(
    ada: User, bob: User, blocked: Post, redis: Redis
) -> None:
    window = reader(bob)
    page(blocked, window=window)
    redis.hset(people.seen(bob.pk), str(blocked.pk), "1 0 1")
    add_comment(ada, blocked)
    assert 'class="tag new"' not in page(blocked, window=window)
    add_comment(person("carol"), blocked)
    assert 'class="tag new"' in page(blocked, window=window)


def test_blocking_folds_at_once_and_unblocking_unfolds(bob: User, ada: User) -> None:
    post(ada)
    window = reader(bob)
    for on, many in (("1", 1), ("0", 0), ("1", 1)):
        window.get("/")
        window.post("/u/ada/block", {"on": on})
        assert len(folded_items(get_html("/", window))) == many
    following.set_follow(bob, ada, on=True)
    assert folded_items(get_html("/", window)) == [], "following unblocks"


def test_blocks_take_no_extra_query(ada: User, bob: User) -> None:
    written = post(ada)
    Block.objects.create(user=bob, blocked=ada, at=timezone.now())
    window = reader(bob)
    get_html("/", window)
    with CaptureQueriesContext(connection) as queries:
        assert folded_items(get_html("/", window)) == [
            f"Post by ada, whom you blocked (post-{written.pk})"
        ]
    assert not queries.captured_queries


def test_people_may_block_many(bob: User, blocked: Post) -> None:
    for number in range(50):
        following.block(bob, person(f"p{number}"), on=True)
    written = post(User.objects.get(username="p7"))
    html = get_html("/", bob)
    assert len(folded_items(html)) == 2
    assert f"(post-{written.pk})" in folded_items(html)[0]
    assert not Comment.objects.exists()
