"""Pages list a post's newest comments from Redis, and older comments from SQL."""

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import following, marks, mutes
from forum.actions import posts as post_actions
from forum.models import Comment, Group, Mute, Post, User
from forum.store import comment_cards
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_ids
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.voting.comments import stored_newest
from voting.keys import comments as comment_keys

pytestmark = pytest.mark.django_db(transaction=True)
KEPT = 5_000


def many(author: User, on: Post, count: int) -> list[int]:
    """Write `count` comments only to SQL, as if Redis had lost the comments."""
    now = timezone.now().replace(microsecond=0)
    Comment.objects.bulk_create(
        [
            Comment(
                post=on,
                author=author,
                body=f"Remark {number}.",
                body_html=f"<p>Remark {number}.</p>\n",
                created_at=now,
            )
            for number in range(count)
        ],
        batch_size=500,
    )
    on.comment_count += count
    on.save(update_fields=["comment_count"])
    return list(Comment.objects.filter(post=on).order_by("-pk").values_list("pk", flat=True))


def older(html: str) -> str | None:
    """Return the URL of a page's link to older comments."""
    found = re.search(r'href="([^"]*\?before=\d+)" rel="next"', html)
    return found[1] if found else None


def walk(address: str | None) -> list[int]:
    """Follow the links to older comments, and return the ids of the comments on all pages."""
    found: list[int] = []
    while address:
        html = get_html(address)
        found += comment_ids(html)
        address = older(html)
    return found


def ids_on(address: str) -> list[int]:
    return comment_ids(get_html(address))


def comments_path(on: Post) -> str:
    return reverse("post_comments", args=[on.pk])


def test_comments_are_newest_first_with_text_author_time_and_link(ada: User, written: Post) -> None:
    first = add_comment(ada, written, "The *first*.")
    reply = add_comment(person("bob"), written, "The second.", to=first)
    html = get_html(comments_path(written))
    assert comment_ids(html) == [reply.pk, first.pk]
    assert "<p>The <em>first</em>.</p>" in html
    assert "<p>The second.</p>" in html
    assert f'href="{reply.get_absolute_url()}"' in html
    assert f'href="{first.get_absolute_url()}">parent' in html
    assert f'datetime="{first.created_at.isoformat()}"' in html
    assert 'href="/u/bob/"' in html


@pytest.mark.long
def test_five_thousand_comments_have_pages_without_gaps_or_repeats(
    redis: Redis, ada: User, written: Post, settings: Any
) -> None:
    settings.PAGE_SIZE = 200
    ids = many(ada, written, KEPT + 3)
    first = get_html(comments_path(written))
    assert comment_ids(first) == ids[:200], "the first reader gets them from SQL"
    kept, texts = stored_newest(redis, written.pk)
    assert (len(kept), len(texts)) == (KEPT, KEPT), "the first reader filled the list"
    assert kept[::-1] == ids[:KEPT]
    assert older(first) == f"{comments_path(written)}?before={ids[199]}"
    assert walk(comments_path(written)) == ids, "each comment once, from Redis and then from SQL"


def test_comments_in_redis_take_no_query_and_older_ones_one(
    ada: User, written: Post, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ids = many(ada, written, KEPT + 3)
    get_html(comments_path(written))
    the_post = 1
    with django_assert_num_queries(the_post):
        get_html(comments_path(written))
    with django_assert_num_queries(the_post):
        get_html(f"{comments_path(written)}?before={ids[KEPT - 30]}")
    with django_assert_num_queries(the_post + 1):
        assert ids_on(f"{comments_path(written)}?before={ids[KEPT - 5]}") == ids[KEPT - 4 :]
    with django_assert_num_queries(the_post + 1) as queries:
        assert ids_on(f"{comments_path(written)}?before={ids[KEPT]}") == ids[KEPT + 1 :]
    assert "OFFSET" not in queries[-1]["sql"]


def test_deleted_and_edited_comments_are_right_in_redis_and_in_sql_at_once(
    redis: Redis, ada: User, written: Post, settings: Any
) -> None:
    settings.PAGE_SIZE = 200
    ids = many(ada, written, KEPT + 3)
    get_html(comments_path(written))
    near_the_seam = f"{comments_path(written)}?before={ids[KEPT - 300]}"
    doomed, changed = (ids[2], ids[KEPT + 1]), (ids[3], ids[KEPT + 2])
    for one in doomed:
        comment_actions.delete(Comment.objects.get(pk=one), by=ada)
    for one in changed:
        comment_actions.change(Comment.objects.get(pk=one), f"Changed {one}.")
    left = [one for one in ids if one not in doomed]
    assert ids_on(comments_path(written)) == left[:200]
    assert stored_newest(redis, written.pk)[0][::-1] == left[: KEPT - 1]
    assert walk(near_the_seam) == [one for one in left if one < ids[KEPT - 300]]
    for one in changed:
        assert f"<p>Changed {one}.</p>" in get_html(f"{comments_path(written)}?before={one + 1}")
    left.insert(0, add_comment(ada, written, "One more.").pk)
    assert ids_on(comments_path(written)) == left[:200]
    assert stored_newest(redis, written.pk)[0][::-1] == left[:KEPT]
    assert walk(near_the_seam) == [one for one in left if one < ids[KEPT - 300]]


def test_edits_are_marked(ada: User, written: Post) -> None:
    comment = add_comment(ada, written)
    get_html(comments_path(written))
    Comment.objects.update(created_at=timezone.now() - timedelta(hours=1))
    comment_actions.change(Comment.objects.get(pk=comment.pk), "Better.")
    assert re.search(r'href="/p/\d+/c/\d+/history">edited', get_html(comments_path(written)))


def test_redis_and_sql_show_a_comment_alike(redis: Redis, ada: User, written: Post) -> None:
    first = add_comment(ada, written, "A text with <b>no</b> HTML & a [link](https://example.org).")
    add_comment(ada, written, "A reply.", to=first)
    get_html(comments_path(written))
    from_redis = get_html(comments_path(written))
    redis.delete(comment_keys.latest(written.pk), comment_keys.latest_texts(written.pk))
    assert get_html(comments_path(written)) == from_redis


def test_lost_list_is_refilled_by_its_next_reader(redis: Redis, ada: User, written: Post) -> None:
    comments = [add_comment(ada, written).pk for _ in range(3)]
    get_html(comments_path(written))
    redis.delete(comment_keys.latest(written.pk), comment_keys.latest_texts(written.pk))
    comments.append(add_comment(ada, written).pk)
    assert ids_on(comments_path(written)) == comments[::-1], "older comments are listed, too"
    assert stored_newest(redis, written.pk)[0] == comments


def test_refilling_a_list_reads_only_the_columns_shown(
    redis: Redis, ada: User, written: Post, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    add_comment(ada, written, "So *it* is.")
    get_html("/comments")  # fill the caches
    redis.delete(comment_keys.latest(written.pk), comment_keys.latest_texts(written.pk))
    the_post, filling, showing = 1, 1, 1
    with django_assert_num_queries(the_post + filling + showing) as queries:
        html = reader().get(f"/p/{written.pk}/comments").content.decode()
    assert "So <em>it</em> is." in html
    reading = [one["sql"] for one in queries if 'FROM "forum_comment"' in one["sql"]]
    assert reading
    assert not [sql for sql in reading if '"forum_comment"."body",' in sql]


def test_page_is_complete_again_after_a_loss_of_redis(
    redis: Redis, ada: User, written: Post
) -> None:
    ids = [add_comment(ada, written).pk for _ in range(3)]
    redis.flushall()
    assert ids_on(comments_path(written)) == ids[::-1], "from SQL"
    get_voting_service().maintenance.generations.open()
    assert ids_on(comments_path(written)) == ids[::-1]
    assert stored_newest(redis, written.pk)[0] == ids


def test_page_comes_from_sql_while_redis_is_down(ada: User, written: Post, settings: Any) -> None:
    ids = many(ada, written, 30)
    with redis_down(settings):
        assert walk(comments_path(written)) == ids


def test_unpacked_card_equals_the_packed_one(ada: User, written: Post) -> None:
    comment = add_comment(ada, written, "¿Qué?")
    assert comment_cards.unpack(comment_cards.pack(comment)) == comment_cards.card(comment)


@pytest.mark.parametrize("query", ["before=", "before=x", "before=-1", "before=0", "before=1.5"])
def test_invalid_address_is_not_found(written: Post, query: str) -> None:
    for address in (comments_path(written), reverse("comments")):
        assert reader().get(f"{address}?{query}").status_code == 404


def test_last_page_says_so(ada: User, written: Post) -> None:
    assert "No comments yet" in get_html(comments_path(written))
    comment = add_comment(ada, written)
    assert "no older comments" in get_html(f"{comments_path(written)}?before={comment.pk}")
    assert ids_on(f"{comments_path(written)}?before={2**40}") == [comment.pk]


def test_comments_of_a_deleted_post_are_not_found(ada: User, written: Post) -> None:
    add_comment(ada, written)
    post_actions.delete(written)
    assert reader().get(comments_path(written)).status_code == 410
    assert ids_on(reverse("comments")) == []
    assert ids_on("/u/ada/comments") == []
    assert reader().get("/p/999999999/comments").status_code == 404


def posts_of(html: str, posts: Iterable[Post]) -> list[bool]:
    """For each post, return whether the page links to it."""
    return [f'href="{one.get_absolute_url()}"' in html for one in posts]


def test_the_sites_newest_comments_link_to_their_posts(
    ada: User, written: Post, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = post(ada, "Another post")
    ids = [add_comment(ada, on).pk for _ in range(15) for on in (written, other)]
    comment_actions.delete(add_comment(ada, other), by=ada)
    get_html("/comments")  # fill the caches
    with django_assert_num_queries(1):
        html = get_html(reverse("comments"))
    assert comment_ids(html) == ids[:-26:-1]
    assert posts_of(html, (written, other)) == [True, True]
    assert walk(reverse("comments")) == ids[::-1]


def test_every_page_links_to_the_newest_comments(written: Post) -> None:
    assert f'href="{reverse("comments")}"' in get_html(reverse("front"))


def test_newest_comments_leave_out_what_the_reader_hid(ada: User, bob: User) -> None:
    books, maths = (post(ada, slugs=slug) for slug in ("books", "maths"))
    in_books, in_maths = add_comment(ada, books), add_comment(ada, maths)
    marks.hide(bob, books, True)
    for person_or_guest, ids in (
        (bob, [in_maths.pk]),
        (ada, [in_maths.pk, in_books.pk]),
        (None, [in_maths.pk, in_books.pk]),
    ):
        assert comment_ids(get_html("/comments", person_or_guest)) == ids
    marks.hide(bob, books, False)
    marks.save(bob, maths, True)
    assert comment_ids(get_html("/comments", bob)) == [in_maths.pk, in_books.pk]
    following.hide_group(bob, Group.objects.get(slug="maths"), True)
    assert comment_ids(get_html("/comments", bob)) == [in_books.pk]
    mutes.mute(bob, Mute.Kind.WORD, "title")
    assert comment_ids(get_html("/comments", bob)) == []
    assert comment_ids(get_html(f"/p/{books.pk}/comments", bob)) == [in_books.pk]


def test_pages_of_newest_comments_are_full_without_hidden_ones(
    ada: User, bob: User, settings: Any
) -> None:
    settings.PAGE_SIZE = 2
    hidden, other = post(ada), post(ada)
    ids = [add_comment(ada, on, f"Comment {n}.").pk for n in range(4) for on in (hidden, other)]
    marks.hide(bob, hidden, True)
    first, second = ids[7::-2][:2], ids[7::-2][2:]
    assert comment_ids(get_html("/comments", bob)) == first
    assert comment_ids(get_html(f"/comments?before={first[-1]}", bob)) == second
