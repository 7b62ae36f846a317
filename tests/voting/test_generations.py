"""A site notices if its Redis was emptied or replaced, and requires a rebuild."""

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.sites import (
    ADA,
    BRAM,
    CLEO,
    HOUR,
    WEEK,
    listed,
    made,
    publish,
    record,
    site_at,
    vote,
)
from tests.voting.stored_state import assert_fits, expected_whereabouts, voters, whereabouts
from voting import keys
from voting.errors import StoreEmpty
from voting.service import VotingService
from voting.types import Formula, Order, Rules, Vote


def of_every_shard(generation: str) -> dict[int, str]:
    """Return a dict that maps each shard's number to `generation`, as `Generations.close` does."""
    return dict.fromkeys(range(keys.SHARDS), generation)


def test_every_hash_tag_has_the_same_generation_and_a_new_one_each_time(
    site: VotingService, redis: Redis
) -> None:
    first = site.maintenance.generations.open()
    assert set(redis.mget([keys.generation(tag) for tag in keys.tags()])) == {first}
    assert site.maintenance.generations.current() == first
    assert site.maintenance.generations.open() != first


@pytest.mark.parametrize("tag", [keys.RANK_TAG, keys.shard_tag(0), keys.shard_tag(63)])
def test_one_missing_generation_requires_a_rebuild(
    site: VotingService, redis: Redis, tag: str
) -> None:
    redis.delete(keys.generation(tag))
    with pytest.raises(StoreEmpty):
        site.maintenance.generations.current()


def test_different_generations_require_a_rebuild(site: VotingService, redis: Redis) -> None:
    redis.set(keys.generation(keys.shard_tag(5)), "of another site")
    with pytest.raises(StoreEmpty):
        site.maintenance.generations.current()


@pytest.mark.parametrize(
    ("rules", "fits"),
    [
        (Rules(), True),
        (Rules(page_size=10, mix_seconds=1), True),
        (Rules(weight=864), False),
        (Rules(window=WEEK + 1), False),
        (Rules(formula=Formula.LOG), False),
    ],
)
def test_scores_made_with_other_rules_are_noticed(rules: Rules, fits: bool) -> None:
    assert site_at(settings.REDIS_URL, rules).maintenance.generations.has_current_rules() is fits


def test_closed_store_refuses_everybody_and_keeps_its_data(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 7)
    generation = site.maintenance.generations.current()
    assert site.maintenance.generations.close() == of_every_shard(generation)
    for attempt in (
        lambda: vote(site, BRAM, 7),
        lambda: publish(site, 8),
        lambda: site.listings.page(Order.HOT, 1),
        lambda: site.maintenance.loading.load_posts([record(made(site, 9))]),
    ):
        with pytest.raises(StoreEmpty):
            attempt()
    assert voters(redis, 7) == ({ADA}, set())
    assert not redis.exists(keys.post(8), keys.post(9))
    assert not list(redis.scan_iter("*:voters:*")), "no temporary voter sets are left"


def test_closing_returns_the_generation_of_each_shard(site: VotingService, redis: Redis) -> None:
    generation = site.maintenance.generations.current()
    for lost in (keys.RANK_TAG, keys.shard_tag(1), keys.people.tag(BRAM)):
        redis.delete(keys.generation(lost))
    redis.set(keys.generation(keys.shard_tag(2)), "of an opening that died half way")
    ended = of_every_shard(generation) | {2: "of an opening that died half way"}
    del ended[1]
    assert site.maintenance.generations.close() == site.maintenance.generations.close() == ended


def test_a_store_that_was_emptied_has_no_generation_to_archive(
    site: VotingService, redis: Redis
) -> None:
    redis.flushall()
    assert site.maintenance.generations.close() == {}


def test_clearing_deletes_only_keys_of_voting(site: VotingService, redis: Redis) -> None:
    for post_id in range(1, 200):
        publish(site, post_id, groups=("python", "lease"))
    redis.set("somebody's own key", "stays")
    site.maintenance.ledger.take_leases("reader")
    site.maintenance.ledger.take_rebuild_lease("builder")
    site.maintenance.generations.close()
    site.maintenance.generations.clear()
    assert {*redis.scan_iter("*")} - keys.leases() == {"somebody's own key"}
    assert not site.maintenance.ledger.take_rebuild_lease("another"), "the right to rebuild goes on"


def test_loaded_post_equals_its_record(site: VotingService, redis: Redis) -> None:
    post = made(site, 7, groups=("python", "redis"), ago=HOUR)
    assert site.maintenance.loading.load_posts([record(post, ups=(ADA, 50, 51), downs=(52,))]) == 1
    assert voters(redis, 7) == ({ADA, 50, 51}, {52})
    assert whereabouts(redis, 7) == expected_whereabouts(("python", "redis"))
    assert redis.expiretime(f"{keys.post(7)}:voters") == post.posted_at + WEEK + HOUR
    ballot = vote(site, 52, 7, Vote.UP)
    assert (ballot.up, ballot.down, ballot.changed) == (4, 0, True)
    assert_fits(redis, site, [7], whole_ledger=False)


def test_known_post_is_not_loaded_again(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    vote(site, BRAM, 7)
    assert site.maintenance.loading.load_posts([record(made(site, 7)), record(made(site, 8))]) == 1
    assert voters(redis, 7) == ({ADA, BRAM}, set()), "votes that are not archived yet stay"
    assert_fits(redis, site, [7, 8], whole_ledger=False)


def test_voters_of_a_long_closed_post_are_not_loaded(site: VotingService, redis: Redis) -> None:
    site.maintenance.loading.load_posts(
        [
            record(made(site, 7, ago=WEEK + HOUR), ups=(ADA, BRAM)),
            record(made(site, 8, ago=WEEK + HOUR // 2), ups=(ADA, BRAM)),
        ]
    )
    assert voters(redis, 7) == (set(), set())
    assert voters(redis, 8) == ({ADA, BRAM}, set()), "it closed, but its voters are still shown"
    assert [(row.up, row.vote) for row in site.posts.rows([7, 8], viewer=BRAM)] == [
        (2, None),
        (2, Vote.UP),
    ]


def test_post_with_many_voters_is_loaded_completely(site: VotingService, redis: Redis) -> None:
    ups, downs = range(1, 40_001), range(40_001, 60_001)
    assert site.maintenance.loading.load_posts([record(made(site, 7), ups=ups, downs=downs)]) == 1
    assert redis.scard(f"{keys.post(7)}:voters") == 60_000
    assert redis.object("encoding", f"{keys.post(7)}:voters") == "intset", "4 bytes a voter"
    assert site.posts.rows([7], viewer=60_000)[0].vote is Vote.DOWN


def test_thousands_of_posts_are_loaded(site: VotingService) -> None:
    posts = (record(made(site, n, ago=n), ups=(ADA, CLEO)) for n in range(1, 2_001))
    assert site.maintenance.loading.load_posts(posts) == 2_000
    assert site.listings.page(Order.NEW, 1).total == 2_000
    assert listed(site, Order.NEW)[:3] == [1, 2, 3]
    assert set(site.maintenance.listed_posts.scan(None)) == set(range(1, 2_001))
