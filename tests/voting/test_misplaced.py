"""Inspection finds posts that are in the wrong rankings or have wrong scores."""

import pytest
from django.conf import settings

from tests.voting.sites import DAY, Clock, listed, made, publish, site_at
from tests.voting.stored_state import misplaced
from voting.service import VotingService
from voting.types import Order, PostRecord, Rules, Target


def test_post_dropped_by_a_full_ranking_is_not_misplaced() -> None:
    small = site_at(settings.REDIS_URL, Rules(ranking_limit=200))
    old = [made(small, post_id, ago=40 * DAY - post_id) for post_id in range(1, 206)]
    ids = [post.id for post in old]
    small.maintenance.loading.load_posts([PostRecord(post, 1, 0) for post in old])
    for post_id in (205, 204):
        assert misplaced(small, ids) == {}
        small.posts.retract(post_id)
    assert misplaced(small, ids) == {}
    assert small.listings.page(Order.NEW, 1).trimmed, "further pages come from SQL"
    small.posts.retract(203)
    assert list(misplaced(small, ids)) == [1, 2, 3, 4, 5]
    assert not small.listings.page(Order.NEW, 1).trimmed


@pytest.mark.parametrize("order", [Order.TOP_DAY, Order.TOP_WEEK, Order.TOP_MONTH])
def test_post_in_a_band_it_is_too_young_for_is_misplaced(
    site: VotingService, clock: Clock, order: Order
) -> None:
    posts = [publish(site, 1), publish(site, 2, ago=2 * DAY), publish(site, 3, ago=40 * DAY)]
    clock.advance(35 * DAY)
    listed(site, order)
    assert misplaced(site, [1, 2, 3]) == {}
    clock.advance(-35 * DAY)
    young = [1] if order is Order.TOP_DAY else [1, 2]
    assert misplaced(site, [1, 2, 3]) == dict.fromkeys(young, ("top:all",))
    last = site.maintenance.loading.last_changes([Target(post.id) for post in posts])
    site.maintenance.loading.reload_posts(
        [PostRecord(post, 1, 0) for post in posts], {on.post_id: n for on, n in last.items()}
    )
    assert misplaced(site, [1, 2, 3]) == {}
    assert listed(site, order) == young
