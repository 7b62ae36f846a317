"""A post's views count each visitor once a day, and the worker copies the numbers to SQL."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from redis import Redis

from forum.ledger import counters
from forum.models import DailyViews, Post, User
from forum.operations.repair.rebuild import ensure_filled, rebuild
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting import keys
from voting.keys import daily
from voting.types import Order

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("one_day"),
    pytest.mark.dialect,
]


def views(written: Post) -> int:
    """Return the number of views that listings show for a post."""
    return get_voting_service().posts.rows([written.pk])[0].views


def open_it(window: Client, written: Post, **headers: str) -> None:
    response = window.get(written.get_absolute_url(), headers=headers)
    assert response.status_code == 200


def test_member_counts_once_in_any_browser(ada: User, written: Post) -> None:
    for agent in ("Firefox", "Chromium"):
        open_it(reader(ada), written, user_agent=agent)
    assert views(written) == 1


def test_guests_count_once_each_by_address_and_browser(written: Post) -> None:
    for _ in range(2):
        open_it(reader(REMOTE_ADDR="192.0.2.1"), written, user_agent="Firefox")
        open_it(reader(REMOTE_ADDR="192.0.2.2"), written, user_agent="Firefox")
        open_it(reader(REMOTE_ADDR="192.0.2.2"), written, user_agent="Chromium")
    assert views(written) == 3


def test_invented_browsers_of_one_network_count_little(written: Post) -> None:
    for number in range(120):
        open_it(reader(REMOTE_ADDR="192.0.2.1"), written, user_agent=f"Browser {number}")
    # Views are estimated: two of eight visitors count as one in 1 of 600 cases.
    assert views(written) in {7, 8}
    before = views(written)
    for number in range(1, 40):
        open_it(reader(REMOTE_ADDR=f"2001:db8::{number}"), written, user_agent="Firefox")
    assert views(written) - before in {0, 1}


def test_no_data_of_guests_is_stored(redis: Redis, written: Post) -> None:
    open_it(reader(REMOTE_ADDR="192.0.2.77"), written, user_agent="Teapot")
    for key in redis.keys("{s*visitors*"):
        kept = redis.dump(key) or b""
        assert b"192.0.2.77" not in kept
        assert b"Teapot" not in kept


@pytest.mark.parametrize("header", ["Sec-Purpose", "Purpose"])
def test_prefetched_page_is_not_counted(written: Post, header: str) -> None:
    open_it(reader(), written, **{header.replace("-", "_"): "prefetch;prerender"})
    assert reader().head(written.get_absolute_url()).status_code == 200
    assert views(written) == 0


def test_counting_adds_no_round_trip(settings: Any, ada: User, written: Post) -> None:
    address = written.get_absolute_url()
    window = reader(ada)
    with counted_round_trips(settings) as (to_voting, _to_cache):
        window.get(address)
        costs = []
        for ask in (window.get, window.head):
            with to_voting.counting():
                ask(address)
            costs.append(to_voting.round_trips)
    assert costs == [1, 1], "a HEAD counts nothing"


def test_views_reach_sql_and_are_not_counted_twice_there(ada: User, written: Post) -> None:
    other = post(ada)
    open_it(reader(), written)
    open_it(reader(ada), written)
    for _ in range(2):
        counters.archive_views()
    written.refresh_from_db()
    other.refresh_from_db()
    assert (written.views, other.views) == (2, 0)
    (row,) = DailyViews.objects.all()
    assert (row.post_id, row.day, row.views) == (
        written.pk,
        get_voting_service().activity.today(),
        2,
    )


def test_views_of_many_days_are_summed(written: Post) -> None:
    yesterday = get_voting_service().activity.today() - timedelta(days=1)
    DailyViews.objects.create(post_id=written.pk, day=yesterday, views=40)
    open_it(reader(), written)
    counters.archive_views()
    written.refresh_from_db()
    assert written.views == 41


def test_archiving_views_takes_constant_queries(ada: User, django_assert_num_queries: Any) -> None:
    written = posts(ada, 12)
    open_it(reader(), written[0])
    with django_assert_num_queries(7):
        counters.archive_views()
    window = reader(ada)
    for one in written:
        open_it(window, one)
    with django_assert_num_queries(7):
        counters.archive_views()
    with django_assert_num_queries(2):
        counters.archive_views()


def test_archived_views_are_restored_after_a_loss_of_redis(
    redis: Redis, ada: User, written: Post
) -> None:
    newer = post(ada)
    open_it(reader(), written)
    counters.archive_views()
    redis.flushall()
    ensure_filled()
    assert views(written) == 1
    ids = [row.id for row in get_voting_service().listings.page(Order.VIEWS, 1).rows]
    assert ids == [written.pk, newer.pk]
    open_it(reader(ada), written)
    open_it(reader(person("bob")), written)
    counters.archive_views()
    written.refresh_from_db()
    assert written.views == views(written) == 2, "counting continues from the archived number"


def test_a_rebuild_of_a_living_site_loses_no_view(written: Post) -> None:
    open_it(reader(), written)
    rebuild()
    assert views(written) == 1


def test_unarchived_views_count_once_after_a_live_rebuild(
    ada: User, bob: User, written: Post
) -> None:
    open_it(reader(), written)
    counters.archive_views()
    open_it(reader(ada), written)
    rebuild()
    open_it(reader(bob), written)
    assert views(written) == 3
    counters.archive_views()
    written.refresh_from_db()
    assert written.views == 3


def test_restored_older_redis_loses_no_archived_view(
    redis: Redis, ada: User, written: Post
) -> None:
    open_it(reader(), written)
    day = daily.viewed_posts(
        keys.shard(written.pk), get_voting_service().activity.today().isoformat()
    )
    older = redis.dump(day) or b""
    open_it(reader(ada), written)
    counters.archive_views()
    redis.restore(day, 0, older, replace=True)
    counters.archive_views()
    written.refresh_from_db()
    assert written.views == 2


def test_thread_opens_without_counting_while_redis_is_down(written: Post, settings: Any) -> None:
    with redis_down(settings):
        open_it(reader(), written)
    assert views(written) == 0
