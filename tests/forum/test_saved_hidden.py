"""Each person has lists of saved, hidden and liked posts, which nobody else sees."""

from datetime import timedelta
from functools import partial
from math import ceil
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from forum.actions import following, marks
from forum.actions import posts as post_actions
from forum.models import ArchivedVote, Group, Mark, OutboxItem, Post, User
from forum.operations.repair.rebuild import ensure_filled, rebuild
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, make_older, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox
from tests.voting.sites import Clock
from voting.types import Target, Vote
from voting.types.person_lists import MAX_LIKED, PersonList

pytestmark = pytest.mark.django_db(transaction=True)
TABS = ("saved", "hidden", "liked")


def ids_in_redis(which: PersonList, user: User) -> list[int]:
    """Return the ids of a person's saved or hidden posts, from Redis."""
    return [
        item.post_id
        for item in get_voting_service().person_lists.page(which, user.pk, 0, 500).entries
    ]


@pytest.mark.parametrize("way", ["save", "hide"])
def test_a_marked_post_is_listed_until_it_is_unmarked(ada: User, bob: User, way: str) -> None:
    first, second = post(ada, "First"), post(ada, "Second")
    window, tab = reader(bob), {"save": "saved", "hide": "hidden"}[way]
    for one in (first, second, first):
        answer = window.post(f"/p/{one.pk}/{way}", {"on": "1", "next": "/new"})
        place = f"/new#post-{one.pk}" if way == "save" else "/new"
        assert (answer.status_code, answer["Location"]) == (303, place)
    assert post_ids(get_html(f"/u/bob/{tab}", bob)) == [second.pk, first.pk], (
        "saving again does not change the order"
    )
    assert Mark.objects.filter(user=bob, kind=tab).count() == 2
    for _ in range(2):
        window.post(f"/p/{second.pk}/{way}", {"on": "0"})
    assert (
        post_ids(get_html(f"/u/bob/{tab}", bob)) == [first.pk] == ids_in_redis(PersonList(tab), bob)
    )


def test_a_saved_post_may_be_hidden_too(ada: User, bob: User) -> None:
    written = post(ada)
    marks.save(bob, written, True)
    marks.hide(bob, written, True)
    assert (
        ids_in_redis(PersonList.SAVED, bob) == ids_in_redis(PersonList.HIDDEN, bob) == [written.pk]
    )
    marks.hide(bob, written, False)
    assert ids_in_redis(PersonList.SAVED, bob) == [written.pk]


def test_hiding_a_post_says_where_it_is_listed(ada: User, bob: User) -> None:
    written = post(ada, "A noisy thing")
    answer = reader(bob).post(f"/p/{written.pk}/hide", {"on": "1", "next": "/"}, follow=True)
    assert "“A noisy thing” is hidden from your lists." in answer.content.decode()
    assert post_ids(answer.content.decode()) == [], "the hidden post is not listed"


def test_a_listing_with_only_hidden_posts_says_so(ada: User, bob: User) -> None:
    following.set_follow(bob, ada, on=True)
    marks.hide(bob, post(ada), True)
    for path in ("/", "/following"):
        shown = get_html(path, bob)
        assert "You have hidden or read all of these posts." in shown
        assert 'class="button" href="/u/bob/hidden"' in shown
        assert "Nothing here yet." not in shown


def test_hidden_groups_are_listed_too(bob: User) -> None:
    groups("books")
    following.hide_group(bob, Group.objects.get(), True)
    shown = get_html("/u/bob/hidden", bob)
    assert "Show posts in Books again" in shown
    assert 'formaction="/g/books/hide"' in shown


@pytest.mark.parametrize("tab", TABS)
def test_the_lists_are_private(ada: User, bob: User, tab: str) -> None:
    assert reader(ada).get(f"/u/ada/{tab}").status_code == 200
    assert reader(bob).get(f"/u/ada/{tab}").status_code == 403
    guest = reader().get(f"/u/ada/{tab}?p=2")
    assert guest["Location"] == f"/accounts/login/?next=/u/ada/{tab}%3Fp%3D2"
    assert reader(person("stella", is_staff=True)).get(f"/u/ada/{tab}").status_code == 403
    assert reader(ada).get(f"/u/nobody/{tab}").status_code == 404
    assert f"/u/ada/{tab}" in get_html("/u/ada/", ada)
    assert f"/u/ada/{tab}" not in get_html("/u/ada/", bob)


@pytest.mark.parametrize("way", ["save", "hide"])
def test_marking_takes_a_form_of_a_member(ada: User, bob: User, way: str) -> None:
    written = post(ada)
    path = f"/p/{written.pk}/{way}"
    assert reader(bob).get(path).status_code == 405
    assert reader(bob).post(path, {"on": "perhaps"}).status_code == 400
    missing = f"/p/{written.pk + 1}/{way}"
    assert reader(bob).post(missing, {"on": "1"}).status_code == 404
    window = reader()
    answer = window.post(path, {"on": "1", "next": f"/p/{written.pk}"})
    assert answer["Location"] == f"/accounts/login/?next=/p/{written.pk}"
    assert "then press the button again" in window.get("/accounts/login/").content.decode()
    assert not Mark.objects.exists()


@pytest.mark.parametrize("way", ["save", "hide"])
def test_a_deleted_post_can_be_unmarked_but_not_marked(ada: User, bob: User, way: str) -> None:
    written = post(ada, "A secret of mine")
    path = f"/p/{written.pk}/{way}"
    reader(bob).post(path, {"on": "1"})
    post_actions.delete(written)
    late = reader(person("cleo")).post(path, {"on": "1"}, follow=True)
    assert late.status_code == 410
    assert "A secret of mine" not in late.content.decode()
    assert reader(bob).post(path, {"on": "0"}).status_code == 303
    assert not Mark.objects.exists()


def test_many_saved_posts_come_in_pages(ada: User, bob: User) -> None:
    for one in posts(ada, 26):
        marks.save(bob, one, True)
    assert len(post_ids(get_html("/u/bob/saved", bob))) == 25
    assert len(post_ids(get_html("/u/bob/saved?p=2", bob))) == 1
    assert reader(bob).get("/u/bob/saved?p=3").status_code == 404


def test_a_deleted_post_is_left_out_while_redis_is_down(
    ada: User, bob: User, settings: Any
) -> None:
    written, other = post(ada), post(ada)
    marks.save(bob, written, True)
    marks.save(bob, other, True)
    post_actions.delete(written)
    assert post_ids(get_html("/u/bob/saved", bob)) == [other.pk]
    with redis_down(settings):
        assert post_ids(get_html("/u/bob/saved", bob)) == [other.pk]


def test_lists_of_marks_show_own_votes_even_old_ones(ada: User, bob: User, redis: Redis) -> None:
    written = post(ada)
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    archive_all()
    make_older(redis, written, days=9)
    marks.save(bob, written, True)
    assert 'data-vote="up"' in get_html("/u/bob/saved", bob)


def test_while_redis_is_down_marks_are_saved_and_shown_from_sql(
    ada: User, bob: User, settings: Any
) -> None:
    written = post(ada)
    window = reader(bob)
    with redis_down(settings):
        for way in ("save", "hide"):
            assert window.post(f"/p/{written.pk}/{way}", {"on": "1"}).status_code == 303
        shown = get_html("/u/bob/saved", bob)
        assert post_ids(shown) == [written.pk]
        assert "This list may not show your latest votes." in shown
    assert ids_in_redis(PersonList.SAVED, bob) == []
    assert deliver_outbox() == 2
    assert (
        ids_in_redis(PersonList.SAVED, bob) == ids_in_redis(PersonList.HIDDEN, bob) == [written.pk]
    )


def test_concurrent_marks_end_the_same_in_sql_and_redis(ada: User, bob: User) -> None:
    written = post(ada)
    for _ in range(3):
        run_at_once(*(partial(marks.save, bob, written, n % 2 == 0) for n in range(12)))
        assert ids_in_redis(PersonList.SAVED, bob) == list(
            Mark.objects.values_list("post_id", flat=True)
        )
        assert not OutboxItem.objects.filter(kind="tie").exists()


def test_an_emptied_redis_is_filled_with_the_same_lists(ada: User, bob: User, redis: Redis) -> None:
    written = posts(ada, 4)
    own = post(bob)
    marks.save(bob, written[2], True)
    marks.save(bob, written[0], True)
    marks.hide(bob, written[3], True)
    for one in (written[0], written[1]):
        get_voting_service().votes.cast(bob.pk, Target(one.pk), Vote.UP)
    get_voting_service().votes.cast(bob.pk, Target(written[2].pk), Vote.DOWN)
    archive_all()
    before = {one: set(ids_in_redis(one, bob)) for one in (PersonList.SAVED, PersonList.HIDDEN)}
    redis.flushall()
    assert post_ids(get_html("/u/bob/saved", bob)) == [written[0].pk, written[2].pk], (
        "listed from SQL during the outage"
    )
    assert ensure_filled()
    assert {one: set(ids_in_redis(one, bob)) for one in before} == before
    assert set(ids_in_redis(PersonList.LIKED, bob)) == {written[0].pk, written[1].pk}
    assert own.pk not in ids_in_redis(PersonList.LIKED, bob), "own posts are not liked posts"


@pytest.mark.parametrize("vote", [Vote.NONE, Vote.DOWN])
def test_liked_posts_are_listed_once_the_vote_is_archived(ada: User, bob: User, vote: Vote) -> None:
    written, other = post(ada), post(ada)
    own = post(bob)
    for one in (written, other):
        get_voting_service().votes.cast(bob.pk, Target(one.pk), Vote.UP)
    archive_all()
    assert set(post_ids(get_html("/u/bob/liked", bob))) == {written.pk, other.pk}
    get_voting_service().votes.cast(bob.pk, Target(other.pk), vote)
    archive_all()
    assert post_ids(get_html("/u/bob/liked", bob)) == [written.pk]
    assert own.pk not in ids_in_redis(PersonList.LIKED, bob)


@pytest.mark.parametrize("size", [25, 30], ids=["pages of 25", "a page from both"])
def test_likes_beyond_the_200_in_redis_are_listed_from_sql(
    ada: User, bob: User, settings: Any, size: int
) -> None:
    settings.PAGE_SIZE, last = size, ceil((MAX_LIKED + 30) / size)
    now = timezone.now()
    written = Post.objects.bulk_create(
        Post(author=ada, kind=Post.Kind.TEXT, title="Post", created_at=now, up=2)
        for _ in range(MAX_LIKED + 30)
    )
    ArchivedVote.objects.bulk_create(
        ArchivedVote(user_id=bob.pk, post_id=one.pk, vote=1, at=now + timedelta(seconds=at))
        for at, one in enumerate(written)
    )
    rebuild()
    newest_first = [one.pk for one in reversed(written)]
    assert ids_in_redis(PersonList.LIKED, bob) == newest_first[:MAX_LIKED]
    assert ids_in_redis(PersonList.LIKED, ada) == []
    pages = [get_html(f"/u/bob/liked?p={number}", bob) for number in range(1, last + 1)]
    assert [one for html in pages for one in post_ids(html)] == newest_first
    assert "This list may not show your latest votes." not in pages[-1], "Redis is up"
    assert reader(bob).get(f"/u/bob/liked?p={last + 1}").status_code == 404


def test_while_redis_is_down_lists_come_from_sql_in_the_same_order(
    ada: User, bob: User, settings: Any, voting_clock: Clock
) -> None:
    written = posts(ada, 3)
    post(bob, "Not a like")
    for one in (written[1], written[0], written[2]):
        get_voting_service().votes.cast(bob.pk, Target(one.pk), Vote.UP)
        marks.save(bob, one, True)
        marks.hide(bob, one, True)
        archive_all()
        voting_clock.advance(1)
    get_voting_service().votes.cast(bob.pk, Target(written[2].pk), Vote.DOWN)
    archive_all()
    shown = {tab: post_ids(get_html(f"/u/bob/{tab}", bob)) for tab in TABS}
    assert shown["liked"] == [written[0].pk, written[1].pk]
    with redis_down(settings):
        assert {tab: post_ids(get_html(f"/u/bob/{tab}", bob)) for tab in TABS} == shown
