"""Threads: order, nesting, omitted comments, new comments, and the cost of a page."""

import re
from datetime import timedelta
from time import time
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import ArchivedVote, Comment, Post, User
from forum.queries.threads import comment_page, post_page
from forum.store import outbox, post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import (
    add_comment,
    add_many_comments,
    comment_html,
    comment_ids,
    page,
    vote,
)
from tests.forum.factories import make_older, person, post, reader
from tests.forum.outages import redis_down
from tests.voting.relays import relay, server_socket
from voting.keys import people
from voting.types import Vote
from voting.types.comments import Sort

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
LONG = 1_010
"""Number of comments in a long thread: more than a page shows, and more than one batch."""


def test_reply_is_below_its_parent(ada: User, bob: User, knots: Post) -> None:
    first, second = add_comment(bob, knots, "Use a *bowline*."), add_comment(bob, knots)
    reply = add_comment(ada, knots, "Why?", first)
    html = page(knots)
    assert "<em>bowline</em>" in html
    assert comment_ids(html) == [first.pk, reply.pk, second.pk]
    assert "3 comments" in html
    assert f'<a href="#comment-{first.pk}">parent</a>' in comment_html(html, reply)
    assert f'<a href="#comment-{second.pk}">next</a>' in comment_html(html, first)
    assert f'<a href="/p/{knots.pk}/c/{first.pk}"><time' in comment_html(html, first)
    moment = first.created_at.strftime("%Y, %H:%M UTC")
    assert f'{moment}">just now</time>' in comment_html(html, first), "hovering shows the time"


def test_every_comment_folds_with_its_replies_without_script(ada: User, knots: Post) -> None:
    add_comment(ada, knots, "Why?", add_comment(ada, knots))
    html = page(knots)
    assert html.count("<details open><summary>") == 2
    assert "Comment by ada, 1 reply" in html
    assert html.count("</details></li></ol>") == 2


def test_the_author_of_the_post_is_marked(ada: User, bob: User, knots: Post) -> None:
    own, other = add_comment(ada, knots), add_comment(bob, knots)
    html = page(knots)
    assert '<span class="tag">author</span>' in comment_html(html, own)
    assert '<span class="tag">author</span>' not in comment_html(html, other)


def test_comments_are_sorted_as_requested(ada: User, bob: User, knots: Post) -> None:
    liked, disputed, fresh = (add_comment(ada, knots, text) for text in ("One.", "Two.", "Three."))
    crowd = [person(f"p{number}") for number in range(6)]
    for number, someone in enumerate(crowd):
        vote(someone, liked, Vote.UP)
        vote(someone, disputed, Vote.UP if number % 2 else Vote.DOWN)
    Comment.objects.filter(pk=liked.pk).update(up=7)
    Comment.objects.filter(pk=disputed.pk).update(up=4, down=3)
    reads = {sort: comment_ids(page(knots, f"?sort={sort}")) for sort in Sort}
    assert reads[Sort.BEST] == [liked.pk, fresh.pk, disputed.pk]
    assert reads[Sort.TOP] == [liked.pk, disputed.pk, fresh.pk]
    assert reads[Sort.OLD] == [liked.pk, disputed.pk, fresh.pk]
    assert reads[Sort.NEW] == [fresh.pk, disputed.pk, liked.pk]
    assert reads[Sort.CONTROVERSIAL][0] == disputed.pk


def test_vote_moves_a_comment_before_it_is_archived(ada: User, bob: User, knots: Post) -> None:
    first, second = add_comment(ada, knots, "One."), add_comment(ada, knots, "Two.")
    assert comment_ids(page(knots)) == [first.pk, second.pk]
    vote(bob, second, Vote.UP)
    assert comment_ids(page(knots)) == [second.pk, first.pk]


@pytest.mark.parametrize("query", ["?sort=worst", "?sort="])
def test_unknown_sort_is_best_first(bob: User, knots: Post, query: str) -> None:
    add_comment(bob, knots)
    html = page(knots, query)
    assert re.search(r'aria-current="page">Best</a>', html)
    assert "?sort=controversial#comments" in html


@pytest.mark.parametrize("query", ["?after=x", "?after=-1"])
def test_invalid_address_is_not_found(knots: Post, query: str) -> None:
    assert reader().get(f"{knots.get_absolute_url()}{query}").status_code == 404


def test_comments_since_the_last_visit_are_marked_except_own_ones(
    ada: User, bob: User, knots: Post, redis: Redis
) -> None:
    old, window = add_comment(ada, knots), reader(bob)
    assert "new</span>" not in page(knots, window=window), "on a first visit nothing is new"
    an_hour_ago = int(time()) - 3_600
    Comment.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=2))
    redis.hset(people.seen(bob.pk), str(knots.pk), f"{an_hour_ago} 1 0")
    fresh, own = add_comment(ada, knots), add_comment(bob, knots)
    later = add_comment(ada, knots)
    for _ in range(2):
        html = page(knots, window=window)
        to_the_first = f'<a class="tag new" href="#comment-{fresh.pk}">2 new</a>'
        assert to_the_first in html, "a reload is the same visit"
        assert f'href="#comment-{later.pk}" title="Next new' in comment_html(html, fresh)
        assert 'href="#comments" title="Back to the head' in comment_html(html, later)
        for each in (old, own):
            assert "tag new" not in comment_html(html, each)
    assert "tag new" not in page(knots)


def test_own_votes_and_tallies_are_shown(ada: User, bob: User, knots: Post) -> None:
    comment = add_comment(ada, knots)
    vote(bob, comment, Vote.DOWN)
    html = comment_html(page(knots, window=reader(bob)), comment)
    assert 'data-points="0" data-ups="1" data-downs="1" data-vote="down"' in html
    assert f'formaction="/p/{knots.pk}/c/{comment.pk}/vote" name="vote" value="none"' in html
    assert 'data-vote="none"' in comment_html(page(knots), comment)


def test_line_of_a_folded_branch_counts_its_new_comments(
    ada: User, bob: User, knots: Post, redis: Redis
) -> None:
    old = add_comment(ada, knots)
    Comment.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=2))
    redis.hset(people.seen(bob.pk), str(knots.pk), f"{int(time()) - 3_600} 1 0")
    fresh = add_comment(ada, knots, "New.", old)
    add_comment(ada, knots, "Also new.", fresh)
    add_comment(bob, knots, "My own.", old)
    html = page(knots, window=reader(bob))
    assert 'Comment by ada, 3 replies <span class="tag new">2 new</span>' in html
    assert 'Comment by ada, 1 reply <span class="tag new">2 new</span>' in html
    assert "Comment by bob</span>" in html


def test_a_guests_arrows_lead_to_log_in_with_the_vote(ada: User, knots: Post) -> None:
    comment = add_comment(ada, knots)
    back = f"/accounts/login/?next=/p/{knots.pk}/knots%23comment-{comment.pk}&amp;vote=up"
    assert f'href="{back}&amp;post={knots.pk}&amp;comment={comment.pk}"' in page(knots)


def test_a_closed_comment_shows_the_archived_vote(
    ada: User, bob: User, knots: Post, redis: Redis
) -> None:
    comment = add_comment(ada, knots)
    ArchivedVote.objects.create(
        user_id=bob.pk, post_id=knots.pk, comment_id=comment.pk, vote=1, at=timezone.now()
    )
    Comment.objects.filter(pk=comment.pk).update(created_at=timezone.now() - timedelta(days=9))
    make_older(redis, knots, days=10)
    comment.refresh_from_db()
    resync(comment)
    html = comment_html(page(knots, window=reader(bob)), comment)
    assert 'data-vote="up"' in html
    assert html.count("disabled") == 2


def resync(comment: Comment) -> None:
    """Sync a comment to Redis again after Redis was emptied."""
    outbox.add(post_sync.PostSync(comment.post_id, comment.pk))


@pytest.mark.long
def test_five_thousand_comments_open_with_the_best_two_hundred(ada: User, knots: Post) -> None:
    add_many_comments([ada], knots, 5_000)
    first = page(knots)
    ids = comment_ids(first)
    assert len(ids) == 200
    assert "5,000 comments" in first
    link = first.partition('<a class="step" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = comment_ids(reader().get(link.partition("#")[0]).content.decode())
    assert len(second) == 200
    assert not set(ids) & set(second)
    assert "more repl" in first


@pytest.mark.parametrize(("many", "queries"), [(5, 2), (200, 2), (LONG, 3)])
@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_page_takes_two_queries_or_three_if_the_thread_has_pages(
    ada: User,
    knots: Post,
    django_assert_num_queries: DjangoAssertNumQueries,
    many: int,
    queries: int,
    member: bool,
) -> None:
    comments = add_many_comments([ada], knots, many)
    window = reader(ada if member else None)
    page(knots, window=window)
    with django_assert_num_queries(queries):
        page(knots, window=window)
    drafts = 1 if member else 0
    with django_assert_num_queries(queries + drafts):
        page(comments[0], window=window)


def test_only_visible_comments_of_a_mostly_deleted_thread_are_read(
    ada: User, knots: Post, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    comments = add_many_comments([ada], knots, LONG)
    deleted = Comment.objects.exclude(pk=comments[0].pk)
    deleted.update(deleted_at=timezone.now())
    Post.objects.update(comment_count=1)
    window = reader()
    assert comment_ids(page(knots, window=window)) == [comments[0].pk]
    with django_assert_num_queries(4) as queries:
        page(knots, window=window)
    texts = [query["sql"] for query in queries if "body_html" in query["sql"]]
    assert ["LIMIT 201" in sql or " IN (" in sql for sql in texts[-2:]] == [True, True]


@pytest.mark.parametrize("many", [5, LONG])
def test_own_votes_of_a_whole_thread_take_one_round_trip(
    ada: User, knots: Post, many: int, settings: Any
) -> None:
    add_many_comments([ada], knots, many)
    post_page(knots, ada.pk, sort=Sort.BEST)
    with relay(server_socket()) as line:
        settings.REDIS_URL = line.url
        get_voting_service.cache_clear()
        get_voting_service().maintenance.server.ping()
        with line.counting():
            _state, thread = post_page(knots, ada.pk, sort=Sort.BEST)
        assert line.round_trips == 1
        with line.counting():
            comment_page(knots, thread.comments[0].place.id, ada.pk, sort=Sort.BEST)
        assert line.round_trips == 1
    get_voting_service.cache_clear()
    assert all(one.tally and one.tally.vote is Vote.UP for one in thread.comments)


def test_comments_that_are_too_deep_are_linked(ada: User, knots: Post) -> None:
    comments = [add_comment(ada, knots)]
    for _level in range(10):
        comments.append(add_comment(ada, knots, to=comments[-1]))
    html = page(knots)
    assert comment_ids(html) == [each.pk for each in comments[:8]]
    assert f'<a href="/p/{knots.pk}/c/{comments[7].pk}">Continue this thread: 3 replies</a>' in html
    assert comment_ids(page(comments[7])) == [each.pk for each in comments[7:]]


def test_thread_of_three_thousand_levels_is_shown(ada: User, knots: Post) -> None:
    comments = [
        Comment(
            pk=number,
            post=knots,
            parent_id=number - 1 or None,
            author=ada,
            body="Deep.",
            body_html="<p>Deep.</p>",
            created_at=timezone.now(),
        )
        for number in range(1, 3_001)
    ]
    Comment.objects.bulk_create(comments, batch_size=500)
    Post.objects.filter(pk=knots.pk).update(comment_count=3_000)
    assert "Continue this thread: 2992 replies" in page(knots)
    assert len(comment_ids(page(comments[2_990]))) == 9


def test_page_of_a_comment_shows_its_branch_and_links_around(
    ada: User, bob: User, knots: Post
) -> None:
    top = add_comment(bob, knots, "Top.")
    comment, aside = add_comment(ada, knots, "Said.", top), add_comment(ada, knots, "Aside.")
    reply = add_comment(bob, knots, "Reply.", comment)
    html = page(comment, window=reader(bob))
    assert comment_ids(html) == [comment.pk, reply.pk]
    assert aside.pk not in comment_ids(html)
    assert f'href="/p/{knots.pk}/c/{top.pk}">Parent comment</a>' in html
    assert f'href="{knots.get_absolute_url()}#comments">Full thread</a>' in html
    assert f'name="parent" value="{comment.pk}"' in html
    assert html.count("<h1") == 1


def test_a_comment_is_found_only_on_its_own_post(ada: User, knots: Post) -> None:
    comment, other = add_comment(ada, knots), post(ada, "Other")
    assert reader().get(f"/p/{other.pk}/c/{comment.pk}").status_code == 404
    assert reader().get(f"/p/{knots.pk}/c/999").status_code == 404


def test_comments_of_a_deleted_post_are_not_found(ada: User, knots: Post) -> None:
    comment = add_comment(ada, knots)
    post_actions.delete(knots)
    assert reader().get(comment.get_absolute_url()).status_code == 410


def test_thread_comes_from_sql_while_redis_is_down(ada: User, knots: Post, settings: Any) -> None:
    comment = add_comment(ada, knots, "Still here.")
    with redis_down(settings):
        html, branch = page(knots), page(comment)
    assert "Still here." in html
    assert comment_html(html, comment).count("disabled") == 2
    assert "Still here." in branch


def test_profile_lists_a_persons_comments_newest_first(ada: User, bob: User, knots: Post) -> None:
    comments = [add_comment(bob, knots, f"Remark {number}.") for number in range(27)]
    add_comment(ada, knots, "Not Bob's.")
    comment_actions.delete(comments[26], by=bob)
    first = reader().get("/u/bob/comments").content.decode()
    assert "Remark 25." in first
    assert "Remark 26." not in first
    assert "Not Bob" not in first
    assert f'href="{knots.get_absolute_url()}" dir="auto">Knots</a>' in first
    older = reader().get(f"/u/bob/comments?before={comments[1].pk}").content.decode()
    assert "Remark 0." in older
    assert "Remark 1." not in older
    assert reader().get("/u/BOB/comments")["Location"] == "/u/bob/comments"
