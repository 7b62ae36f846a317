"""Listings skip the posts that a person hides. Pages stay full, and no post is lost or repeated."""

from dataclasses import replace

import pytest
from redis import Redis

from tests.voting import stored_state
from tests.voting.sites import BRAM, CLEO, ids, made, publish
from voting.keys import people
from voting.service import VotingService
from voting.types import Cursor, Hiding, Order, Page

HIDE, HIDE_READ = Hiding(), Hiding(posts=False, read=True)


def pages(site: VotingService, hiding: Hiding, viewer: int = BRAM) -> list[Page]:
    """Return all pages of a listing. Each page starts after the last post of the page before."""
    found: list[Page] = []
    cursor: Cursor | None = None
    while not found or found[-1].more:
        number = len(found) + 1
        page = site.listings.page(Order.NEW, number, viewer=viewer, cursor=cursor, hiding=hiding)
        found.append(page)
        cursor = page.last
    return found


def test_hidden_posts_are_replaced_without_gaps_or_repeats(
    site: VotingService, redis: Redis
) -> None:
    for post_id in range(1, 81):
        publish(site, post_id, groups=("noise",) if post_id % 10 == 0 else ("python",))
    redis.zadd(people.hidden(BRAM), {str(n): 1 for n in range(60, 76)})
    redis.sadd(people.hidden_groups(BRAM), "noise")
    shown = pages(site, HIDE)
    expected = [n for n in range(80, 0, -1) if not 60 <= n <= 75 and n % 10]
    assert [n for page in shown for n in ids(page)] == expected
    assert [len(page.rows) for page in shown] == [25, 25, len(expected) - 50]
    assert {page.total for page in shown} == {80}


def test_hidden_posts_are_visible_to_others(site: VotingService, redis: Redis) -> None:
    publish(site, 1)
    publish(site, 2)
    redis.zadd(people.hidden(BRAM), {"1": 1})
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE)) == [2]
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM)) == [2, 1], "a list that hides nothing"
    assert ids(site.listings.page(Order.NEW, 1, viewer=CLEO, hiding=HIDE)) == [2, 1]
    assert ids(site.listings.page(Order.NEW, 1, hiding=HIDE)) == [2, 1]


def test_page_of_a_hidden_group_shows_its_posts(site: VotingService, redis: Redis) -> None:
    publish(site, 1, groups=("noise",))
    redis.sadd(people.hidden_groups(BRAM), "noise")
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE)) == []
    assert ids(site.listings.page(Order.NEW, 1, group="noise", viewer=BRAM, hiding=HIDE)) == [1]


def test_read_threads_can_be_hidden(site: VotingService, redis: Redis) -> None:
    publish(site, 1)
    publish(site, 2)
    redis.hset(people.seen(BRAM), "2", "1700000000 5 0")
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE_READ)) == [1]
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE)) == [2, 1]


def test_read_thread_with_a_new_comment_is_listed_until_it_is_opened_again(
    site: VotingService, redis: Redis
) -> None:
    for post_id in (1, 2):
        site.posts.publish(replace(made(site, post_id), comments=6))
        redis.hset(people.seen(BRAM), str(post_id), f"1700000000 {4 + post_id} 0")
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE_READ)) == [1]
    redis.hset(people.seen(BRAM), "1", "1700000500 6 0")
    assert ids(site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE_READ)) == []


def test_page_skips_at_most_two_hundred_hidden_posts(site: VotingService, redis: Redis) -> None:
    for post_id in range(1, 261):
        publish(site, post_id, groups=())
    redis.zadd(people.hidden(BRAM), {str(n): 1 for n in range(11, 261)})
    first = site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE)
    assert (ids(first), first.more) == ([], True)
    second = site.listings.page(Order.NEW, 2, viewer=BRAM, cursor=first.last, hiding=HIDE)
    assert ids(second) == list(range(10, 0, -1))


def test_rows_show_the_viewers_marks(site: VotingService, redis: Redis) -> None:
    publish(site, 1)
    publish(site, 2)
    redis.zadd(people.saved(BRAM), {"2": 1})
    redis.hset(people.seen(BRAM), "1", "1700000000 12 0")
    two, one = site.listings.page(Order.NEW, 1, viewer=BRAM).rows
    assert (two.saved, two.seen, one.saved, one.seen) == (True, None, False, 12)
    assert {(row.saved, row.seen) for row in site.posts.rows([1, 2])} == {(False, None)}


@pytest.mark.parametrize("saved", [True, False], ids=["saved", "seen"])
def test_one_kind_of_mark_works_without_the_other(
    site: VotingService, redis: Redis, saved: bool
) -> None:
    for post_id in (1, 2, 3):
        publish(site, post_id)
    if saved:
        redis.zadd(people.saved(BRAM), {"2": 1})
    else:
        redis.hset(people.seen(BRAM), "2", "1700000000 12 0")
    expected = (True, None) if saved else (False, 12)
    for rows in (
        site.listings.page(Order.NEW, 1, viewer=BRAM).rows,
        site.posts.rows([3, 2, 1], viewer=BRAM),
    ):
        marks = {row.id: (row.saved, row.seen) for row in rows}
        assert marks == {3: (False, None), 2: expected, 1: (False, None)}


def test_marks_are_read_only_for_viewers_with_marks(site: VotingService, redis: Redis) -> None:
    if site.store.is_cluster:
        pytest.skip("on a cluster one step reads them all")
    publish(site, 1)
    site.listings.page(Order.NEW, 1, viewer=BRAM)  # the server loads the script

    def commands() -> tuple[int, int]:
        ran = stored_state.commands(
            redis, lambda: site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=HIDE)
        )
        return ran["zmscore"], ran["hmget"]

    assert commands() == (0, 1), "the row alone"
    redis.zadd(people.saved(BRAM), {"1": 1})
    assert commands() == (1, 1)
    redis.hset(people.seen(BRAM), "1", "1700000000 12 0")
    assert commands() == (1, 2)
    redis.zadd(people.hidden(BRAM), {"7": 1})
    assert commands() == (2, 2)


def test_pinned_posts_are_on_the_first_page_unless_hidden(
    site: VotingService, redis: Redis
) -> None:
    for post_id in range(1, 31):
        publish(site, post_id)
    redis.zadd(people.hidden(BRAM), {"2": 1})
    pinned = (2, 1, 99)
    for viewer, hiding, expected in ((None, None, [2, 1]), (CLEO, HIDE, [2, 1]), (BRAM, HIDE, [1])):
        page = site.listings.page(Order.HOT, 1, viewer=viewer, hiding=hiding, pinned=pinned)
        assert [row.id for row in page.pinned] == expected
    assert site.listings.page(Order.HOT, 2, pinned=pinned).pinned == ()
