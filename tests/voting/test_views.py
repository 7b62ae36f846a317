"""Views of posts: each visitor counts once per day, and posts are ranked by views."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, DAY, Clock, listed, made, publish, record
from voting import keys
from voting.errors import StoreEmpty
from voting.keys import daily
from voting.keys.daily import day_of
from voting.service import VotingService
from voting.topics.views import view_call
from voting.types import Order, Target, Vote
from voting.types.people import PersonCounts


def views(site: VotingService, post_id: int) -> int:
    """Return the number of views in a post's row."""
    return site.posts.rows([post_id])[0].views


def test_a_visitor_counts_once_a_day(site: VotingService) -> None:
    publish(site, 7)
    assert site.views.count(7, "u1")
    assert not site.views.count(7, "u1"), "the same visitor comes again"
    assert site.views.count(7, "u2")
    assert views(site, 7) == 2


def test_retracted_and_unknown_posts_count_no_views(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    site.posts.retract(7)
    assert not site.views.count(7, "u1")
    assert not site.views.count(99, "u1")
    day = day_of(site.now()).isoformat()
    assert not redis.exists(daily.visitors(7, day), daily.visitors(99, day))
    assert site.views.of_day(day_of(site.now())) == {}


def test_posts_are_listed_by_views_and_newer_posts_win_ties(site: VotingService) -> None:
    for post_id, ago in ((1, 30), (2, 20), (3, 10)):
        publish(site, post_id, ago=ago)
    site.views.count(1, "u1")
    assert listed(site, Order.VIEWS) == [1, 3, 2]
    site.views.count(2, "u1")
    site.views.count(2, "u2")
    assert listed(site, Order.VIEWS) == [2, 1, 3]
    assert listed(site, Order.VIEWS, "python") == [2, 1, 3]


def test_votes_and_edits_do_not_change_views(site: VotingService) -> None:
    publish(site, 1, ago=20)
    publish(site, 2, ago=10)
    site.views.count(1, "u1")
    site.votes.cast(BRAM, Target(2), Vote.UP)
    publish(site, 1, ago=20, version=2, groups=("python", "web"))
    assert listed(site, Order.VIEWS) == [1, 2]
    assert listed(site, Order.VIEWS, "web") == [1]
    assert views(site, 1) == 1


def test_thousands_of_visitors_are_estimated_within_two_percent(site: VotingService) -> None:
    publish(site, 7)
    for start in range(0, 5_000, 500):
        now, some = site.now(), range(start, start + 500)
        site.store.run(*(view_call(site.rules, now, 7, f"g{n}") for n in some))
    assert abs(views(site, 7) - 5_000) < 100


def test_parallel_and_repeated_visits_count_once_each(site: VotingService) -> None:
    publish(site, 7)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: site.views.count(7, f"u{n % 40}"), range(200)))
    assert views(site, 7) == 40
    assert site.views.of_day(day_of(site.now())) == {7: 40}


def test_views_of_a_day_are_returned_for_every_post(site: VotingService, clock: Clock) -> None:
    today = day_of(site.now())
    for post_id in range(1, 131):
        publish(site, post_id)
        assert site.views.count(post_id, "u1"), "once for each post"
    clock.advance(DAY)
    assert site.views.count(5, "u1"), "the same visitor counts again the next day"
    assert (views(site, 4), views(site, 5)) == (1, 2)
    assert site.views.of_day(today) == dict.fromkeys(range(1, 131), 1)
    assert site.views.of_day(today + timedelta(days=1)) == {5: 1}


def test_counters_of_a_day_expire_after_two_days(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    site.views.count(7, "u1")
    day = day_of(site.now())
    for key in (
        daily.visitors(7, day.isoformat()),
        daily.viewed_posts(keys.shard(7), day.isoformat()),
    ):
        ends = redis.expiretime(key)
        assert day_of(ends) == day + timedelta(days=3), key


def test_archived_views_are_loaded_and_counting_continues(site: VotingService) -> None:
    today = day_of(site.now())
    site.maintenance.loading.load_posts([replace(record(made(site, 7)), views=40)])
    site.views.fill_day(today, {7: 2})
    site.views.fill_day(today, {7: 2})
    assert views(site, 7) == 40
    for visitor in ("u1", "u2", "u3"):
        site.views.count(7, visitor)
    assert site.views.of_day(today) == {7: 3}, "two of them had been counted before the loss"
    assert views(site, 7) == 41
    assert listed(site, Order.VIEWS) == [7]


def test_nothing_is_counted_in_an_emptied_store(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    redis.flushdb()
    with pytest.raises(StoreEmpty):
        site.views.count(7, "u1")
    with pytest.raises(StoreEmpty):
        site.people.counts(ADA)


@pytest.mark.parametrize(
    ("setting", "value"), [("maxmemory", "1mb"), ("min-replicas-to-write", "9")]
)
def test_read_only_server_still_shows_a_thread_and_counts_nothing(
    site: VotingService, redis: Redis, setting: str, value: str
) -> None:
    """The server refuses writes, because its memory is full or because it has too few replicas."""
    publish(site, 7)
    redis.config_set(setting, value)
    try:
        state = site.comments.thread(7, (), viewer=BRAM, visitor="u2", comments=0)
    finally:
        redis.config_set(setting, 0)
    assert state.row.id == 7
    assert state.seen_at is None
    assert views(site, 7) == 0


def test_thread_view_is_counted_in_the_same_round_trip(site: VotingService) -> None:
    publish(site, 7)
    site.comments.thread(7, (), viewer=BRAM, visitor="u2")
    site.comments.thread(7, (), viewer=BRAM, visitor="u2")
    site.comments.thread(7, (), viewer=None)
    assert views(site, 7) == 1


def test_a_person_has_the_counters_that_were_set(site: VotingService) -> None:
    assert site.people.counts(ADA) is None, "the counters were never set"
    counted = PersonCounts(posts=3, comments=5, likes_given=2, karma=-4)
    site.people.set_counts({ADA: counted, BRAM: PersonCounts()})
    assert site.people.counts(ADA) == counted
    assert site.people.counts(BRAM) == PersonCounts()
