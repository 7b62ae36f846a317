"""The following feed lists posts of followed people and groups, and suggests whom to follow."""

from typing import Any

import pytest
from redis import Redis

from forum.actions import following, marks
from forum.actions import posts as post_actions
from forum.models import Block, Group, Post, User
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.factories import groups, next_link, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids
from voting import keys
from voting.topics import listings
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


def page(user: User, path: str = "/following") -> str:
    return get_html(path, user)


def follow_group(user: User, slug: str, on: bool = True) -> None:
    groups(slug)
    following.set_follow(user, Group.objects.get(slug=slug), on=on)


def test_feed_has_posts_of_followed_people_and_groups_hottest_first(
    ada: User, bob: User, cleo: User
) -> None:
    by_ada, in_maths = post(ada, slugs="books"), post(cleo, slugs="maths")
    both, neither = post(ada, slugs="maths"), post(cleo, slugs="books")
    following.set_follow(bob, ada, on=True)
    follow_group(bob, "maths")
    for voter in (ada, bob):
        get_voting_service().votes.cast(voter.pk, Target(in_maths.pk), Vote.UP)
    assert post_ids(page(bob)) == [in_maths.pk, both.pk, by_ada.pk]
    assert neither.pk not in post_ids(page(bob))


def test_following_another_person_shows_at_once(ada: User, bob: User, cleo: User) -> None:
    by_ada, by_cleo = post(ada), post(cleo)
    following.set_follow(bob, ada, on=True)
    assert post_ids(page(bob)) == [by_ada.pk]
    following.set_follow(bob, cleo, on=True)
    assert post_ids(page(bob)) == [by_cleo.pk, by_ada.pk]
    following.set_follow(bob, ada, on=False)
    assert post_ids(page(bob)) == [by_cleo.pk]


def test_new_post_is_in_the_feed_within_a_minute(ada: User, bob: User, redis: Redis) -> None:
    following.set_follow(bob, ada, on=True)
    first = post(ada)
    assert post_ids(page(bob)) == [first.pk]
    key = listings.feed_key(bob.pk, get_voting_service().follows.feed_sources(bob.pk))
    assert 0 < redis.ttl(key) <= get_voting_service().rules.mix_seconds
    second = post(ada)
    redis.delete(key)
    assert post_ids(page(bob)) == [second.pk, first.pk]


def test_an_empty_feed_says_what_to_do(bob: User) -> None:
    groups("books")
    shown = page(bob)
    assert "Posts from people and groups you follow appear here." in shown
    assert "select Follow" in shown
    assert 'href="/g/books/"' in shown
    assert reader().get("/following")["Location"] == "/accounts/login/?next=/following"


def test_feed_has_pages_and_shows_own_votes(ada: User, bob: User) -> None:
    following.set_follow(bob, ada, on=True)
    written = posts(ada, 27)
    get_voting_service().votes.cast(bob.pk, Target(written[-1].pk), Vote.UP)
    first = page(bob)
    assert post_ids(first) == [one.pk for one in reversed(written[2:])]
    assert 'data-vote="up"' in first
    assert post_ids(page(bob, next_link(first))) == [written[1].pk, written[0].pk]
    assert post_ids(page(bob, "/following?p=2")) == [written[1].pk, written[0].pk]
    assert reader(bob).get("/following?p=3").status_code == 404


def test_hidden_and_deleted_posts_are_left_out(ada: User, bob: User) -> None:
    following.set_follow(bob, ada, on=True)
    seen, hidden, deleted = post(ada), post(ada), post(ada)
    page(bob)
    marks.hide(bob, hidden, True)
    post_actions.delete(deleted)
    assert post_ids(page(bob)) == [seen.pk]


def test_posts_of_hidden_groups_are_left_out(ada: User, bob: User) -> None:
    following.set_follow(bob, ada, on=True)
    visible, hidden = post(ada, slugs="books"), post(ada, slugs="maths")
    following.hide_group(bob, Group.objects.get(slug="maths"), True)
    assert post_ids(page(bob)) == [visible.pk]
    assert hidden.pk


def test_people_followed_by_followed_people_are_suggested(ada: User, bob: User, cleo: User) -> None:
    dina, emil, fred = person("dina"), person("emil"), person("fred")
    for one in (ada, cleo):
        following.set_follow(bob, one, on=True)
        following.set_follow(one, dina, on=True)
        following.set_follow(one, bob, on=True)
    following.set_follow(ada, emil, on=True)
    following.set_follow(cleo, fred, on=True)
    Block.objects.create(user=bob, blocked=fred, at=bob.date_joined)
    shown = page(bob)
    assert shown.index("Follow dina") < shown.index("Follow emil")
    assert "followed by cleo, ada" in shown
    for absent in ("Follow fred", "Follow bob", "Follow ada"):
        assert absent not in shown
    sent = reader(bob).post("/u/dina/follow", {"on": "1", "next": "/following"})
    assert sent["Location"] == "/following#suggested", "the redirect returns to the suggestions"
    shown = page(bob)
    assert "Follow dina" not in shown
    assert 'id="suggested"' in shown


def test_newest_posts_come_from_sql_while_redis_is_down(
    ada: User, bob: User, cleo: User, settings: Any
) -> None:
    following.set_follow(bob, ada, on=True)
    follow_group(bob, "maths")
    first, second = post(ada), post(cleo, slugs="maths")
    post(cleo, slugs="books")
    post_actions.delete(post(ada))
    with redis_down(settings):
        assert post_ids(page(bob)) == [second.pk, first.pk]


def test_a_rebuilt_redis_has_the_same_feed(ada: User, bob: User, redis: Redis) -> None:
    following.set_follow(bob, ada, on=True)
    written = [post(ada) for _ in range(3)]
    before = post_ids(page(bob))
    redis.flushall()
    ensure_filled()
    assert post_ids(page(bob)) == before == [one.pk for one in reversed(written)]


def test_number_of_cached_feeds_is_limited(ada: User, redis: Redis, new_rules: Any) -> None:
    new_rules(mix_seconds=3_600)  # no cached feed expires during the test
    post(ada)
    for number in range(listings.MAX_FEEDS + 5):
        reader_id = 900_000 + number
        get_voting_service().follows.set_person(reader_id, ada.pk, 100.0)
        sources = get_voting_service().follows.feed_sources(reader_id)
        assert get_voting_service().listings.feed(reader_id, 1, sources).total == 1
    living: Any = redis.zrange(keys.feeds(), 0, -1)
    assert len(living) == listings.MAX_FEEDS == redis.exists(*living)
    assert Post.objects.count() == 1
