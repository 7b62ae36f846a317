"""Paging while posts are added, deleted and moved: no post is repeated or skipped."""

import pytest
from django.conf import settings

from tests.voting.sites import HOUR, crowd, ids, made, publish, record, site_at
from voting.service import VotingService, parse_mix
from voting.types import Cursor, Direction, Mix, Order, Page, Rules

FAR = Cursor(float(2**40), 1)
MIXED = parse_mix("python+redis")


@pytest.fixture
def full(site: VotingService) -> VotingService:
    """A site with sixty posts in one group, written a minute apart. The last post is the newest."""
    site.maintenance.loading.load_posts(
        record(made(site, n, ago=HOUR + 60 * (60 - n))) for n in range(1, 61)
    )
    return site


def turn(
    site: VotingService,
    page: Page,
    order: Order = Order.NEW,
    direction: Direction = Direction.DESC,
    group: str | Mix | None = None,
) -> Page:
    """Return the page after the given page."""
    following = page.number + 1
    return site.listings.page(order, following, group=group, direction=direction, cursor=page.last)


@pytest.mark.parametrize("group", [None, "python"])
def test_new_posts_cause_no_repeats_on_the_next_page(
    full: VotingService, group: str | None
) -> None:
    first = full.listings.page(Order.NEW, 1, group=group)
    for post_id in (101, 102, 103):
        publish(full, post_id)
    second = turn(full, first, group=group)
    third = turn(full, second, group=group)
    assert ids(second) == list(range(35, 10, -1))
    assert ids(third) == list(range(10, 0, -1))
    assert (second.more, third.more) == (True, False)


def test_deleted_posts_cause_no_gaps_on_the_next_page(full: VotingService) -> None:
    first = full.listings.page(Order.NEW, 1)
    for post_id in (60, 40, 36):
        full.posts.retract(post_id)
    second = turn(full, first)
    assert ids(second) == list(range(35, 10, -1)), "36 was the last of the page before"
    full.posts.retract(11)
    for post_id in range(37, 60):
        full.posts.retract(post_id)
    assert ids(turn(full, second)) == list(range(10, 0, -1))


def test_ascending_listings_continue_at_the_cursor(full: VotingService) -> None:
    first = full.listings.page(Order.NEW, 1, direction=Direction.ASC)
    for post_id in (1, 25):
        full.posts.retract(post_id)
    second = turn(full, first, direction=Direction.ASC)
    assert ids(second) == list(range(26, 51))


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("group", [None, "python", MIXED], ids=str)
def test_paging_shows_each_post_once_in_every_order(
    full: VotingService, order: Order, direction: Direction, group: str | Mix | None
) -> None:
    page = full.listings.page(order, 1, group=group, direction=direction)
    seen = ids(page)
    while page.more:
        page = turn(full, page, order, direction, group)
        seen += ids(page)
    assert seen == sorted(range(1, 61), reverse=direction is Direction.DESC)


def test_posts_of_one_second_are_neither_repeated_nor_skipped(site: VotingService) -> None:
    site.maintenance.loading.load_posts(record(made(site, n, ago=HOUR)) for n in range(1, 61))
    first = site.listings.page(Order.TOP_ALL, 1)
    assert first.last is not None
    site.posts.retract(first.last.post_id)
    publish(site, 99, ago=HOUR)
    assert ids(turn(site, first, Order.TOP_ALL)) == list(range(35, 10, -1))


def test_votes_move_only_the_posts_that_were_voted_on(full: VotingService) -> None:
    first = full.listings.page(Order.HOT, 1)
    crowd(full, 20, ups=20)
    second = turn(full, first, Order.HOT)
    assert ids(second) == [n for n in range(35, 9, -1) if n != 20]


def test_cursor_may_have_a_fractional_score() -> None:
    site = site_at(settings.REDIS_URL, Rules(weight=86_400 / 7))
    site.maintenance.loading.load_posts(
        record(made(site, n), ups=range(1, n + 1)) for n in range(1, 31)
    )
    first = site.listings.page(Order.HOT, 1)
    assert ids(turn(site, first, Order.HOT)) == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("cursor", "direction", "expected"),
    [
        (FAR, Direction.DESC, list(range(60, 35, -1))),
        (FAR, Direction.ASC, []),
        (Cursor(-1.0, 1), Direction.DESC, []),
        (Cursor(-1.0, 1), Direction.ASC, list(range(1, 26))),
    ],
)
def test_cursor_beyond_an_end_is_that_end(
    full: VotingService, cursor: Cursor, direction: Direction, expected: list[int]
) -> None:
    page = full.listings.page(Order.NEW, 2, direction=direction, cursor=cursor)
    assert ids(page) == expected
    if not expected:
        assert (page.last, page.more) == (None, False)
