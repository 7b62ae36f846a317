"""Listings: orders, pages, time spans, and rankings that are full."""

from random import Random

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.sites import (
    ADA,
    BRAM,
    CLEO,
    DAY,
    HOUR,
    Clock,
    crowd,
    ids,
    listed,
    made,
    publish,
    record,
    site_at,
    vote,
)
from tests.voting.stored_state import assert_fits, score
from voting import keys
from voting.errors import StoreEmpty, UnknownTarget
from voting.redis.scripts import SHARED
from voting.service import VotingService, parse_mix
from voting.types import Direction, Mix, Order, PostRecord, Rules, Vote

EVERY_TOP = (Order.TOP_DAY, Order.TOP_WEEK, Order.TOP_MONTH, Order.TOP_ALL)
SPANS = {Order.TOP_DAY: DAY, Order.TOP_WEEK: 7 * DAY, Order.TOP_MONTH: 30 * DAY}


def test_new_shows_the_newest_first_and_ascending_the_oldest(site: VotingService) -> None:
    for post_id, ago in ((1, 50), (2, 10), (3, 90)):
        publish(site, post_id, ago=ago)
    assert listed(site, Order.NEW) == [2, 1, 3]
    assert listed(site, Order.NEW, direction=Direction.ASC) == [3, 1, 2]


def test_each_vote_adds_432_seconds_in_hot(site: VotingService) -> None:
    publish(site, 1, ago=432 * 2 + 1)
    publish(site, 2)
    crowd(site, 1, ups=2)
    assert listed(site, Order.HOT) == [2, 1], "two votes are worth 864 s and 865 were missing"
    vote(site, BRAM, 1)
    assert listed(site, Order.HOT) == [1, 2]
    assert listed(site, Order.HOT, direction=Direction.ASC) == [2, 1]
    crowd(site, 1, ups=0, downs=4)
    assert listed(site, Order.HOT) == [2, 1], "down votes subtract what up votes add"


@pytest.mark.parametrize("order", EVERY_TOP)
def test_top_shows_most_points_first_and_counts_down_votes(
    site: VotingService, order: Order
) -> None:
    for post_id, ups, downs in ((1, 3, 0), (2, 9, 8), (3, 0, 4), (4, 5, 1)):
        publish(site, post_id)
        crowd(site, post_id, ups, downs)
    assert listed(site, order) == [4, 1, 2, 3]
    assert listed(site, order, direction=Direction.ASC) == [3, 2, 1, 4]


@pytest.mark.parametrize("order", list(Order))
def test_newer_posts_win_ties(site: VotingService, order: Order) -> None:
    for post_id in (9, 10, 99, 100, 2**31 - 1):
        publish(site, post_id)
    assert listed(site, order) == [2**31 - 1, 100, 99, 10, 9]
    assert listed(site, order, direction=Direction.ASC) == [9, 10, 99, 100, 2**31 - 1]


def test_newer_posts_win_ties_in_top(site: VotingService) -> None:
    for post_id, ago in ((1, 0), (2, 1), (3, 2)):
        publish(site, post_id, ago=ago)
        crowd(site, post_id, ups=3)
    publish(site, 4, ago=DAY - 1)
    crowd(site, 4, ups=4)
    assert listed(site, Order.TOP_ALL) == [4, 1, 2, 3], "one point outweighs any posting time"


def test_page_among_thousands_of_the_same_second_reads_only_its_posts(
    site: VotingService, redis: Redis
) -> None:
    ages = [HOUR + n for n in range(30)] + [100 * DAY] * 3_000 + [200 * DAY + n for n in range(30)]
    site.maintenance.loading.load_posts(
        record(made(site, n, ago=ago)) for n, ago in enumerate(ages, start=1)
    )
    assert ids(site.listings.page(Order.TOP_ALL, 60)) == list(range(1_585, 1_560, -1))
    oldest_first = site.listings.page(Order.TOP_ALL, 60, direction=Direction.ASC)
    assert ids(oldest_first) == list(range(1_476, 1_501))
    read = (SHARED / "merged.lua").read_text() + "return #around(KEYS, 1475, 1499, true)"
    found = redis.eval(read, 4, *keys.rankings(Order.TOP_ALL))
    assert found == 25 * len(("member", "score"))


@pytest.mark.parametrize(("order", "span"), SPANS.items())
@pytest.mark.parametrize("scope", [None, "python", parse_mix("python+redis")], ids=str)
def test_a_post_leaves_the_top_of_a_span_at_the_exact_second(
    site: VotingService, clock: Clock, redis: Redis, order: Order, span: int, scope: str | Mix
) -> None:
    publish(site, 1)
    publish(site, 2, ago=-1, groups=("python", "redis"))

    def seen() -> list[int]:
        for key in redis.scan_iter("*:mix:*"):
            redis.delete(key)
        return listed(site, order, scope)

    clock.advance(span - 1)
    assert seen() == [2, 1], "a second before, both are there"
    clock.advance(1)
    assert seen() == [2], f"after {span} s the older one is gone"
    clock.advance(1)
    assert seen() == [], "and a second later the other"
    assert listed(site, Order.TOP_ALL, scope) == [2, 1], "the top of ever keeps both"


@pytest.mark.parametrize(("order", "span"), SPANS.items())
def test_a_post_that_is_published_late_joins_only_the_spans_it_is_young_enough_for(
    site: VotingService, order: Order, span: int
) -> None:
    publish(site, 1, ago=span - 1)
    publish(site, 2, ago=span)
    assert listed(site, order) == [1]


@pytest.mark.parametrize(("order", "span"), SPANS.items())
def test_a_late_older_post_leaves_its_span_too(
    site: VotingService, clock: Clock, order: Order, span: int
) -> None:
    publish(site, 1)
    clock.advance(span // 2)
    assert listed(site, order) == [1]
    publish(site, 2, ago=span - 10)
    assert sorted(listed(site, order)) == [1, 2]
    clock.advance(10)
    assert listed(site, order) == [1], "it was published before what had been swept already"


@pytest.mark.parametrize("swept", [True, False])
def test_vote_on_a_post_that_has_left_a_span_moves_it_to_the_band_of_its_age(
    site: VotingService, clock: Clock, swept: bool
) -> None:
    publish(site, 1)
    clock.advance(DAY)
    if swept:
        assert listed(site, Order.TOP_DAY) == []
    vote(site, BRAM, 1)
    assert listed(site, Order.TOP_DAY) == []
    assert listed(site, Order.TOP_ALL) == listed(site, Order.TOP_WEEK) == [1], "and only there"
    clock.advance(6 * DAY)
    assert listed(site, Order.TOP_WEEK) == [], "which it leaves in time"
    assert listed(site, Order.TOP_ALL) == listed(site, Order.TOP_MONTH) == [1]


@pytest.mark.parametrize("apart", [0, 1], ids=["in one second", "second by second"])
@pytest.mark.parametrize("scope", [None, "python", parse_mix("python+redis")], ids=str)
@pytest.mark.parametrize("order", SPANS)
def test_first_listing_is_correct_however_many_posts_are_too_old(
    site: VotingService,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    order: Order,
    scope: str | Mix | None,
    apart: int,
) -> None:
    monkeypatch.setattr("voting.topics.listings.SWEEP_BATCH", 4)
    for post_id in range(1, 31):
        publish(site, post_id, ago=apart * post_id)
    clock.advance(40 * DAY)
    publish(site, 900)
    assert listed(site, order, scope) == [900]
    assert sorted(listed(site, Order.TOP_ALL, scope)) == [*range(1, 31), 900]
    clock.advance(SPANS[order])
    publish(site, 901)
    assert listed(site, order) == [901], "and the next ones leave in time"


def test_pages_have_25_rows_and_none_past_the_end(site: VotingService) -> None:
    for post_id in range(1, 61):
        publish(site, post_id)
    first, second, third, fourth = (site.listings.page(Order.NEW, n) for n in (1, 2, 3, 4))
    assert ids(first) == list(range(60, 35, -1))
    assert ids(second) == list(range(35, 10, -1))
    assert ids(third) == list(range(10, 0, -1))
    assert fourth.rows == ()
    assert {page.total for page in (first, second, third, fourth)} == {60}
    assert {page.pages for page in (first, second, third, fourth)} == {3}
    assert [page.first_rank for page in (first, second, third)] == [1, 26, 51]


def test_a_site_or_group_without_posts_has_one_empty_page(site: VotingService) -> None:
    for group in (None, "nowhere"):
        page = site.listings.page(Order.HOT, 1, group=group)
        assert (page.rows, page.total, page.pages, page.trimmed) == ((), 0, 1, False)


def test_viewers_see_their_own_votes_and_guests_none(site: VotingService) -> None:
    for post_id in (1, 2, 3):
        publish(site, post_id)
    vote(site, BRAM, 1, Vote.UP)
    vote(site, BRAM, 2, Vote.DOWN)
    vote(site, CLEO, 3, Vote.DOWN)

    def seen(viewer: int | None) -> list[Vote | None]:
        return [row.vote for row in site.listings.page(Order.NEW, 1, viewer=viewer).rows]

    assert seen(BRAM) == [Vote.NONE, Vote.DOWN, Vote.UP]
    assert seen(CLEO) == [Vote.DOWN, Vote.NONE, Vote.NONE]
    assert seen(ADA) == [Vote.UP] * 3
    assert seen(None) == [None] * 3


def test_rows_come_in_the_order_asked_for_without_unknown_and_retracted_ones(
    site: VotingService,
) -> None:
    for post_id in (1, 2, 3):
        publish(site, post_id)
    site.posts.retract(2)
    assert [row.id for row in site.posts.rows([3, 404, 2, 1])] == [3, 1]
    assert site.posts.rows([]) == ()
    assert site.posts.rows([1])[0].card == "post 1, version 1"


def test_full_ranking_keeps_the_best_and_reports_it() -> None:
    small = site_at(settings.REDIS_URL, Rules(ranking_limit=5))
    for post_id in range(1, 9):
        publish(small, post_id, ago=100 * (9 - post_id))
    crowd(small, 4, ups=9)
    publish(small, 9)
    assert listed(small, Order.NEW) == [9, 8, 7, 6, 5]
    assert listed(small, Order.HOT) == [4, 9, 8, 7, 6]
    assert listed(small, Order.TOP_ALL)[:5] == [4, 9, 8, 7, 6]
    for order in Order:
        assert small.listings.page(order, 1).trimmed
        assert small.listings.page(order, 1, group="python").trimmed
        assert order in EVERY_TOP or small.listings.page(order, 1).total == 5
    for order in SPANS:
        assert set(listed(small, order)) <= set(listed(small, Order.NEW)), (
            "a band has no post that `new` has dropped, which would never be swept"
        )


def test_dropped_post_returns_when_it_gets_votes(redis: Redis) -> None:
    small = site_at(settings.REDIS_URL, Rules(ranking_limit=5))
    for post_id in range(1, 9):
        publish(small, post_id, ago=100 * (9 - post_id))
    crowd(small, 1, ups=9)
    assert listed(small, Order.HOT)[0] == listed(small, Order.TOP_ALL)[0] == 1
    publish(small, 9)
    assert listed(small, Order.HOT) == [1, 9, 8, 7, 6]
    assert score(redis, 2, Order.HOT) is None


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("scope", [None, "python", parse_mix("python+redis")], ids=str)
def test_a_deep_page_of_top_reads_its_bands_as_one_ranking(
    site: VotingService, scope: str | Mix | None, direction: Direction
) -> None:
    chance = Random(7)
    points, records = {}, []
    for post_id in range(1, 901):
        post = made(site, post_id, ago=chance.randrange(60 * DAY))
        ups = chance.choice((1, 1, 1, 2, 40, 500))
        records.append(PostRecord(post, ups, 0))
        points[post_id] = (ups, post.posted_at, post_id)
    site.maintenance.loading.load_posts(records)
    best_first = sorted(points, key=lambda n: points[n], reverse=direction is Direction.DESC)
    assert listed(site, Order.TOP_ALL, scope, direction) == best_first


def test_post_that_changes_bands_is_listed_once_whatever_the_clocks(
    site: VotingService, clock: Clock, redis: Redis
) -> None:
    publish(site, 1)
    clock.advance(DAY + 5)
    assert listed(site, Order.TOP_WEEK) == [1]
    clock.advance(-10)
    vote(site, BRAM, 1)
    assert listed(site, Order.TOP_WEEK) == [1], (
        "a server whose clock is behind counts its votes too"
    )
    points = (score(redis, 1, Order.TOP_ALL) or 0) // 2**33
    assert points == 2, "the author's own vote and Bram's"
    clock.advance(8 * DAY)
    assert listed(site, Order.TOP_WEEK) == []
    assert listed(site, Order.TOP_MONTH) == [1]


def worth(points: int) -> int:
    """Return how many seconds `points` add to a hot score. Points below 0 weigh more."""
    return points * (432 if points >= 0 else DAY // 3)


@pytest.mark.parametrize("seed", range(4))
def test_every_listing_is_sorted_after_random_changes(
    site: VotingService, redis: Redis, clock: Clock, seed: int
) -> None:
    chance = Random(seed)
    posts = {n: publish(site, n, ago=chance.randrange(20 * HOUR)) for n in range(1, 31)}
    for _ in range(300):
        clock.advance(chance.randrange(20))
        vote(site, chance.randrange(1, 40), chance.randrange(1, 31), chance.choice(list(Vote)))
    points = {row.id: row.points for row in site.posts.rows(list(posts))}
    promised = {
        Order.HOT: lambda n: (posts[n].posted_at + worth(points[n]), n),
        Order.NEW: lambda n: (posts[n].posted_at, n),
        Order.TOP_DAY: lambda n: (points[n], posts[n].posted_at, n),
    }
    for order, key in promised.items():
        assert listed(site, order) == sorted(posts, key=key, reverse=True)
        assert listed(site, order, direction=Direction.ASC) == sorted(posts, key=key)
        assert listed(site, order, "python") == listed(site, order)
    assert_fits(redis, site, posts)


def test_emptied_store_raises_instead_of_an_empty_listing(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 1)
    redis.flushall()
    attempts = (
        lambda: site.listings.page(Order.HOT, 1),
        lambda: site.listings.page(Order.TOP_DAY, 1),
        lambda: site.listings.page(Order.HOT, 1, group="python"),
        lambda: site.listings.page(Order.HOT, 1, group=parse_mix("python+redis")),
        lambda: site.posts.rows([1]),
        lambda: site.posts.get(1),
        lambda: site.posts.standing(1),
        lambda: site.posts.standings([1]),
        lambda: site.groups.sizes(["python"]),
        site.maintenance.generations.current,
    )
    for attempt in attempts:
        with pytest.raises(StoreEmpty):
            attempt()
    assert not redis.keys("*"), "looking writes nothing"


def test_post_has_row_and_standing(site: VotingService) -> None:
    publish(site, 1)
    publish(site, 2)
    vote(site, BRAM, 1, Vote.DOWN)
    row, standing = site.posts.get(1, viewer=BRAM)
    assert (row.id, row.up, row.down, row.vote) == (1, 1, 1, Vote.DOWN)
    assert (standing.post_id, standing.rank, standing.total, standing.next_id) == (1, 2, 2, 2)
    site.posts.retract(1)
    for post_id in (1, 404):
        with pytest.raises(UnknownTarget):
            site.posts.get(post_id)
        with pytest.raises(UnknownTarget):
            site.posts.standing(post_id)
