"""Groups of posts: every listing shows a change at once, and retracted posts leave their groups."""

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, Clock, listed, publish, vote
from tests.voting.stored_state import (
    assert_fits,
    contents,
    expected_whereabouts,
    ledger,
    score,
    voters,
    whereabouts,
)
from voting import keys
from voting.errors import StoreEmpty
from voting.service import VotingService
from voting.types import Order, Vote


def test_a_new_post_is_in_its_groups_and_no_other(site: VotingService, redis: Redis) -> None:
    publish(site, 1, groups=("python", "redis"))
    publish(site, 2, groups=("redis",))
    assert listed(site, group="python") == [1]
    assert listed(site, group="redis") == [2, 1]
    assert listed(site, group="lua") == []
    assert site.groups.sizes(["python", "redis", "lua"]) == {"python": 1, "redis": 2, "lua": 0}
    assert whereabouts(redis, 1) == expected_whereabouts(("python", "redis"))


def test_several_groups_are_added_and_removed_at_once(site: VotingService, redis: Redis) -> None:
    publish(site, 1, groups=("python", "redis"))
    publish(site, 1, groups=("redis", "lua", "web"))
    assert site.posts.rows([1])[0].groups == ("redis", "lua", "web")
    assert whereabouts(redis, 1) == expected_whereabouts(("redis", "lua", "web"))


def test_a_post_that_leaves_its_last_group_stays_on_the_site(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 1)
    publish(site, 1, groups=())
    assert site.posts.rows([1])[0].groups == ()
    assert listed(site) == [1]
    assert whereabouts(redis, 1) == expected_whereabouts(())


def test_a_retracted_post_is_gone_from_every_list_at_once(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 1, groups=("python", "redis"))
    publish(site, 2, groups=("python",))
    site.posts.retract(1)
    assert whereabouts(redis, 1) == set()
    for order in Order:
        assert listed(site, order) == listed(site, order, "python") == [2]
    assert site.posts.rows([1]) == ()
    assert site.groups.sizes(["python", "redis"]) == {"python": 1, "redis": 0}


def test_card_of_a_retracted_post_is_gone_from_redis(site: VotingService, redis: Redis) -> None:
    publish(site, 1, groups=("python",))
    site.posts.retract(1)
    site.posts.retract(1)
    assert "post 1" not in str(redis.hgetall(keys.post(1)))
    publish(site, 1, groups=("python",), version=2)
    assert [row.card for row in site.posts.rows([1])] == ["post 1, version 2"]
    assert listed(site, Order.NEW, "python") == [1]


def test_publishing_again_changes_card_and_groups_but_no_votes(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 1, groups=("python", "redis"))
    vote(site, BRAM, 1, Vote.DOWN)
    entries = ledger(redis, 1)
    publish(site, 1, groups=("redis", "lua"), version=2)
    assert whereabouts(redis, 1) == expected_whereabouts(("redis", "lua"))
    (row,) = site.posts.rows([1])
    assert (row.card, row.groups) == ("post 1, version 2", ("redis", "lua"))
    assert voters(redis, 1) == ({ADA}, {BRAM})
    assert ledger(redis, 1) == entries, "publishing again is no vote"
    assert_fits(redis, site, [1])


def test_publishing_the_same_again_changes_nothing(site: VotingService, redis: Redis) -> None:
    post = publish(site, 1)
    before = contents(redis)
    site.posts.publish(post)
    assert contents(redis) == before


def test_publishing_again_does_not_change_the_posting_time(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    posted_at = publish(site, 1).posted_at
    clock.advance(50)
    publish(site, 1, version=2)
    assert site.posts.rows([1])[0].posted_at == posted_at
    assert score(redis, 1, Order.NEW) == posted_at
    assert_fits(redis, site, [1])


def test_late_older_version_changes_nothing(site: VotingService, redis: Redis) -> None:
    publish(site, 1, groups=("lua",), version=3)
    before = contents(redis)
    publish(site, 1, groups=("python",), version=2)
    site.posts.retract(1, version=2)
    assert contents(redis) == before


def test_late_publication_does_not_restore_a_retracted_post(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 1)
    site.posts.retract(1, version=2)
    publish(site, 1, version=1)
    assert listed(site) == []
    publish(site, 1, version=3)
    assert listed(site) == [1]
    assert_fits(redis, site, [1])


def test_retraction_before_publication_keeps_the_post_retracted(
    site: VotingService, redis: Redis
) -> None:
    site.posts.retract(1, version=2)
    publish(site, 1, version=1)
    assert listed(site) == []
    assert site.posts.rows([1]) == ()
    publish(site, 1, version=3)
    assert site.posts.rows([1], viewer=ADA)[0].vote is Vote.UP, (
        "it opens with its author's vote then"
    )
    assert_fits(redis, site, [1])


def test_republished_post_keeps_its_age_and_votes(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    posted_at = publish(site, 1, groups=("python",)).posted_at
    vote(site, BRAM, 1, Vote.DOWN)
    site.posts.retract(1, version=2)
    site.posts.retract(1, version=2)
    clock.advance(50)
    publish(site, 1, groups=("lua",), version=3)
    (row,) = site.posts.rows([1], viewer=BRAM)
    assert (row.posted_at, row.up, row.down, row.vote) == (posted_at, 1, 1, Vote.DOWN)
    assert whereabouts(redis, 1) == expected_whereabouts(("lua",))
    assert_fits(redis, site, [1])


@pytest.mark.parametrize("shown", [True, False])
def test_emptied_store_refuses_publishing_and_retracting(
    site: VotingService, redis: Redis, shown: bool
) -> None:
    if shown:
        publish(site, 1)
    redis.flushall()
    for attempt in (
        lambda: publish(site, 1),
        lambda: site.posts.retract(1),
    ):
        with pytest.raises(StoreEmpty):
            attempt()
    assert not redis.keys("*")
