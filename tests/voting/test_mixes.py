"""Mixes (combined groups): a+b lists posts in any of the groups, a&b posts in all of the groups,
a~b posts in a but not in b. Redis caches mixes for a while.
"""

from itertools import combinations, islice
from time import time
from typing import Any

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.sites import DAY, HOUR, Clock, crowd, ids, listed, made, publish, record, site_at
from voting import keys
from voting.errors import InvalidMix, StoreEmpty
from voting.service import VotingService, parse_mix
from voting.topics.groups import DEPTH, MAX_MIXES
from voting.types import Direction, Mix, Operator, Order, Rules


def mix(expression: str) -> Mix:
    """Return the mix (combined groups) that an expression such as "a+b" means."""
    found = parse_mix(expression)
    assert isinstance(found, Mix)
    return found


@pytest.fixture
def four(site: VotingService) -> VotingService:
    """Four posts: post 1 is in group "a", 2 in "b", 3 in "a" and "b", and 4 in "a", "b" and "c"."""
    for post_id, groups in ((1, "a"), (2, "b"), (3, "ab"), (4, "abc")):
        publish(site, post_id, groups=groups)
        crowd(site, post_id, ups=post_id)
    return site


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a+b", [4, 3, 2, 1]),
        ("a+c", [4, 3, 1]),
        ("a&b", [4, 3]),
        ("a&b&c", [4]),
        ("a~b", [1]),
        ("b~a", [2]),
        ("a~c", [3, 1]),
        ("a~b~c", [1]),
        ("a&nothing", []),
        ("nothing~a", []),
        ("a~nothing", [4, 3, 1]),
        ("nothing+nowhere", []),
    ],
)
def test_mix_has_the_posts_of_its_operator_in_every_order(
    four: VotingService, order: Order, expression: str, expected: list[int]
) -> None:
    assert listed(four, order, mix(expression)) == expected
    assert listed(four, order, mix(expression), Direction.ASC) == expected[::-1]


@pytest.mark.parametrize(
    ("expression", "canonical"),
    [
        ("python", "python"),
        ("c+a+b", "a+b+c"),
        ("c&a", "a&c"),
        ("b~d~a", "b~a~d"),
        ("a+b+a", "a+b"),
        ("a+a", "a"),
        ("a&a&a", "a"),
        ("a~b~b", "a~b"),
    ],
)
def test_same_groups_in_any_order_are_the_same_mix(expression: str, canonical: str) -> None:
    assert str(parse_mix(expression)) == canonical
    assert parse_mix(str(parse_mix(expression))) == parse_mix(expression)


def test_first_group_of_a_difference_stays_first() -> None:
    assert mix("b~a") == Mix(Operator.WITHOUT, ("b", "a"))


@pytest.mark.parametrize(
    "expression",
    ["a+", "+a", "+", "a++b", "a+b&c", "a~b+c", "a&b~c", "~a", "a~a", "a~b~a", "a+b+c+d+e"],
)
def test_invalid_mix_is_refused(expression: str) -> None:
    with pytest.raises(InvalidMix):
        parse_mix(expression)


def test_mix_is_cached_as_long_as_the_rules_say(four: VotingService, redis: Redis) -> None:
    began, key = int(time()), keys.mix(mix("a+b"), Order.NEW, "desc")
    assert listed(four, Order.NEW, mix("a+b")) == [4, 3, 2, 1]
    publish(four, 5, groups=("a",))
    assert listed(four, Order.NEW, mix("a+b")) == [4, 3, 2, 1], "it is cached"
    assert listed(four, Order.HOT, mix("a+b"))[-1] == 5, "another order is built for itself"
    ends_at: Any = redis.expiretime(key)
    assert began + 60 <= ends_at <= time() + 61
    redis.expire(key, 60 + 3_600)  # as after the clock of Redis was set back
    assert listed(four, Order.NEW, mix("a+b")) == [5, 4, 3, 2, 1]


def test_rows_of_a_cached_mix_show_current_votes(four: VotingService) -> None:
    four.listings.page(Order.HOT, 1, group=mix("a&b"))
    crowd(four, 3, ups=7, first=5_000)
    rows = four.listings.page(Order.HOT, 1, group=mix("a&b"), viewer=5_000).rows
    assert [(row.id, row.up, int(row.vote or 0)) for row in rows] == [(4, 5, 0), (3, 11, 1)]


def test_retracted_post_leaves_cached_mixes_at_once(four: VotingService) -> None:
    assert listed(four, Order.NEW, mix("a+b")) == [4, 3, 2, 1]
    four.posts.retract(3)
    assert listed(four, Order.NEW, mix("a+b")) == [4, 2, 1]
    assert listed(four, Order.NEW, mix("a&b")) == [4]


def test_at_most_two_hundred_mixes_are_cached(
    redis: Redis,
) -> None:
    site = site_at(settings.REDIS_URL, Rules(mix_seconds=3_600))  # no cached mix expires
    names = [f"a{number:02}" for number in range(23)]
    for post_id, name in enumerate(names, start=100):
        publish(site, post_id, groups=(name,))
    several = list(islice(combinations(names, 2), MAX_MIXES + 50))
    for first, second in reversed(several):
        assert len(listed(site, Order.NEW, mix(f"{first}+{second}"))) == 2, (
            f"{first}+{second} shows its two posts, however many mixes are made in a second"
        )
    living = set(redis.scan_iter("*:mix:*", count=1_000))
    assert len(living) == MAX_MIXES
    assert living == set(redis.zrange(keys.mixes(), 0, -1)), "all cached mixes are registered"


def test_expired_mixes_are_deleted(four: VotingService, clock: Clock, redis: Redis) -> None:
    listed(four, Order.NEW, mix("a+b"))
    clock.advance(60)
    listed(four, Order.NEW, mix("a&b"))
    assert redis.zrange(keys.mixes(), 0, -1) == [keys.mix(mix("a&b"), Order.NEW, "desc")]


def test_deep_groups_are_mixed_from_their_best_thousand(site: VotingService) -> None:
    site.maintenance.loading.load_posts(
        record(made(site, n, groups=("deep",), ago=10_000 - n)) for n in range(1, DEPTH + 201)
    )
    publish(site, 5_000, groups=("other",))
    page = site.listings.page(Order.NEW, 1, group=mix("deep+other"))
    assert page.total == DEPTH + 1
    assert ids(page)[:2] == [5_000, DEPTH + 200]
    ascending = site.listings.page(Order.NEW, 1, group=mix("deep+other"), direction=Direction.ASC)
    assert ascending.total == DEPTH + 1
    assert ids(ascending)[:2] == [1, 2], "ascending takes the first thousand"


def test_best_thousand_of_several_bands_are_a_thousand(site: VotingService) -> None:
    ages = [HOUR + n for n in range(DEPTH)] + [3 * DAY + n for n in range(200)]
    deep = [made(site, n, groups=("deep",), ago=ago) for n, ago in enumerate(ages, start=1)]
    site.maintenance.loading.load_posts(record(post) for post in deep)
    publish(site, 9_000, groups=("other",))
    page = site.listings.page(Order.TOP_ALL, 1, group=mix("deep+other"))
    assert page.total == DEPTH + 1
    assert ids(page) == [9_000, *range(1, len(page.rows))]


def test_thousands_of_posts_of_the_same_second_can_be_mixed(
    site: VotingService,
) -> None:
    ages = [days * DAY + n for days in (0, 3, 10) for n in range(1, DEPTH + 1)]
    ages += [100 * DAY] * (DEPTH + 200)
    deep = [made(site, n, groups=("deep",), ago=ago) for n, ago in enumerate(ages, start=1)]
    site.maintenance.loading.load_posts(record(post) for post in deep)
    publish(site, 9_000, groups=("other",))
    for direction, first in ((Direction.ASC, 3 * DEPTH + 1), (Direction.DESC, 1)):
        page = site.listings.page(Order.TOP_ALL, 2, group=mix("deep+other"), direction=direction)
        rank = page.size + first - (direction is Direction.DESC)
        assert ids(page) == list(range(rank, rank + page.size))


def test_the_smallest_group_drives_a_mix_so_that_its_old_posts_are_found(
    site: VotingService,
) -> None:
    deep = [made(site, n, groups=("deep",), ago=10_000 - n) for n in range(1, DEPTH + 201)]
    oldest = [made(site, n, groups=("deep", "few"), ago=90_000) for n in range(5_000, 5_003)]
    site.maintenance.loading.load_posts(record(post) for post in deep + oldest)
    assert listed(site, Order.NEW, mix("deep&few")) == [5_002, 5_001, 5_000]
    assert listed(site, Order.NEW, mix("few~deep")) == []
    assert site.listings.page(Order.NEW, 1, group=mix("deep~few")).total == DEPTH


def test_no_mix_is_built_during_a_rebuild(four: VotingService, redis: Redis) -> None:
    four.maintenance.generations.close()
    with pytest.raises(StoreEmpty):
        four.listings.page(Order.NEW, 1, group=mix("a+b"))
    assert not list(redis.scan_iter("*:mix:*")), (
        "a mix of half the posts would be remembered when the store is open again"
    )
