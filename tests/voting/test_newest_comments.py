"""Redis's list of a post's newest 5,000 comments is complete, in order, and without gaps."""

from collections.abc import Iterable
from random import Random
from threading import Lock

import pytest
from redis import Redis

from tests.voting.comments import POST, comment, publish_comment, stored_newest
from tests.voting.sites import ADA, Clock, publish
from tests.voting.test_races import at_once
from voting.keys import comments as comment_keys
from voting.service import VotingService

KEPT = 5_000
DAY = 86_400


@pytest.fixture(autouse=True)
def _post(site: VotingService) -> None:
    publish(site, POST, author=ADA)


def archived(ids: Iterable[int]) -> list[tuple[int, int, str]]:
    """Return the id, version and text of each comment with these ids, newest first."""
    return [(number, 1, f"comment {number}, version 1") for number in sorted(ids, reverse=True)]


def fill(site: VotingService, ids: Iterable[int] = (), *, floor: int = 0) -> None:
    """Fill Redis's list of newest comments, as the site does for the first reader.

    The list must be missing from Redis. `ids` are the ids of the comments in SQL.
    """
    page = site.comments.newest(POST, count=1)
    assert page.floor is None
    assert site.comments.fill_newest(POST, str(page.filler), archived(ids), floor=floor)


def publish_many(site: VotingService, ids: Iterable[int]) -> None:
    """Publish many comments, 1,000 at a time."""
    numbers = list(ids)
    for start in range(0, len(numbers), 1_000):
        site.comments.publish(*(comment(site, one) for one in numbers[start : start + 1_000]))


def read(site: VotingService, count: int = 10, before: int | None = None) -> list[int]:
    """Return the ids of a page of the newest comments."""
    page = site.comments.newest(POST, before=before, count=count)
    assert page.floor is not None, "the list is there"
    return [one.id for one in page.comments]


def test_newest_comments_come_newest_first_with_cards(site: VotingService) -> None:
    fill(site)
    for number in (3, 1, 2):
        publish_comment(site, number)
    page = site.comments.newest(POST, count=2)
    assert [(one.id, one.card) for one in page.comments] == [
        (3, "comment 3, version 1"),
        (2, "comment 2, version 1"),
    ]
    assert read(site, before=2) == [1]
    assert page.floor == 0, "there is nothing older"


def test_the_list_is_trimmed_at_exactly_five_thousand(site: VotingService, redis: Redis) -> None:
    fill(site)
    publish_many(site, range(1, KEPT + 1))
    ids, texts = stored_newest(redis)
    assert (ids, len(texts)) == (list(range(1, KEPT + 1)), KEPT), "5,000 fit"
    assert site.comments.newest(POST, count=1).floor == 0
    publish_comment(site, KEPT + 1)
    ids, texts = stored_newest(redis)
    assert ids == list(range(2, KEPT + 2)), "of 5,001 the oldest leaves"
    assert set(texts) == {str(one) for one in ids}, "and its text with it"
    assert site.comments.newest(POST, count=1).floor == 2, "older ones are in SQL"


def test_publishing_again_in_any_order_gives_the_same_list(
    site: VotingService, redis: Redis
) -> None:
    fill(site)
    numbers = list(range(1, KEPT + 51))
    Random(4).shuffle(numbers)
    publish_many(site, numbers)
    publish_many(site, Random(5).sample(numbers, 1_000))
    ids, texts = stored_newest(redis)
    assert ids == list(range(51, KEPT + 51))
    assert len(texts) == KEPT


def test_an_older_version_never_replaces_a_newer_text(site: VotingService, redis: Redis) -> None:
    fill(site)
    publish_comment(site, 1, version=2)
    publish_comment(site, 1, version=1)
    assert stored_newest(redis)[1] == {"1": "comment 1, version 2"}


def test_an_edit_of_an_old_comment_leaves_no_gap_above_it(
    site: VotingService, redis: Redis
) -> None:
    fill(site, range(1, KEPT + 1))
    publish_many(site, (5, 11, *range(KEPT, KEPT + 11)))
    site.comments.retract(POST, KEPT, 2)
    publish_comment(site, 5, version=2)
    ids, _ = stored_newest(redis)
    assert ids == [*range(11, KEPT), *range(KEPT + 1, KEPT + 11)], "5 is read from SQL"
    publish_comment(site, 11, version=2)
    assert stored_newest(redis)[1]["11"] == "comment 11, version 2"


def test_retracted_comment_leaves_the_list_for_good(site: VotingService, redis: Redis) -> None:
    fill(site)
    comments = [publish_comment(site, number) for number in (1, 2, 3)]
    site.comments.retract(POST, 2, 2)
    site.comments.publish(*comments)
    assert stored_newest(redis) == ([1, 3], {"1": comments[0].card, "3": comments[2].card})


def test_parallel_writers_leave_the_newest_in_order(site: VotingService, redis: Redis) -> None:
    fill(site, range(1, KEPT - 99))
    numbers, lock = iter(range(KEPT - 99, KEPT + 301)), Lock()

    def write(_: int) -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            published = publish_comment(site, number)
            if number % 10 == 0:
                site.comments.retract(POST, number, 2)
                site.comments.publish(published)
            elif number % 7 == 0:
                publish_comment(site, number, version=2)

    at_once(8, write)
    retracted = {number for number in range(KEPT - 99, KEPT + 301) if number % 10 == 0}
    ids, texts = stored_newest(redis)
    floor = site.comments.newest(POST, count=1).floor
    assert floor is not None
    assert ids == [one for one in range(1, KEPT + 301) if one >= floor and one not in retracted]
    assert len(ids) >= KEPT - len(retracted)
    assert all(texts[str(one)].endswith("2") for one in ids if one % 7 == 0 and one > KEPT - 100)


def test_unfilled_list_is_not_shown_and_one_reader_may_fill_it(
    site: VotingService, clock: Clock
) -> None:
    publish_comment(site, 3)
    first, second = (site.comments.newest(POST, count=9) for _ in range(2))
    assert (first.floor, first.comments) == (None, ())
    assert first.filler, "the first reader fills it"
    assert (second.floor, second.filler) == (None, None), "the next reader does not"
    clock.advance(15)
    third = site.comments.newest(POST, count=9)
    assert third.filler, "the first filler seems to have died"
    assert not site.comments.fill_newest(POST, first.filler, archived([1, 2, 3]), floor=0), (
        "too late"
    )
    assert site.comments.fill_newest(POST, third.filler, archived([1, 2, 3]), floor=0)
    assert read(site) == [3, 2, 1]


def test_changes_during_a_fill_are_kept(site: VotingService, redis: Redis) -> None:
    publish_many(site, (1, 2, 3))
    filler = str(site.comments.newest(POST, count=1).filler)
    snapshot = archived([1, 2, 3])
    site.comments.retract(POST, 1, 2)
    publish_comment(site, 2, version=2)
    publish_comment(site, 4)
    assert site.comments.fill_newest(POST, filler, snapshot, floor=0)
    assert stored_newest(redis)[1] == {
        "2": "comment 2, version 2",
        "3": "comment 3, version 1",
        "4": "comment 4, version 1",
    }


def test_fill_among_parallel_writers_loses_no_comment(site: VotingService, redis: Redis) -> None:
    sql: dict[int, int] = {}
    numbers, lock = iter(range(1, 1_001)), Lock()

    def work(thread: int) -> None:
        for turn in range(100):
            if thread == 0:
                if turn % 25 == 0:
                    redis.delete(comment_keys.latest(POST), comment_keys.latest_texts(POST))
                    page = site.comments.newest(POST, count=1)
                    site.comments.fill_newest(POST, str(page.filler), archived(dict(sql)), floor=0)
                continue
            with lock:
                number = next(numbers)
                sql[number] = 1
            publish_comment(site, number)

    at_once(8, work)
    fill_if_missing(site, sql)
    assert stored_newest(redis)[0] == sorted(sql)


def fill_if_missing(site: VotingService, sql: dict[int, int]) -> None:
    """Fill the list of newest comments if Redis lacks it, as the site does."""
    page = site.comments.newest(POST, count=1)
    if page.floor is None:
        site.comments.fill_newest(POST, str(page.filler), archived(sql), floor=0)


def test_more_than_five_thousand_written_before_the_first_reader_leave_no_gap(
    site: VotingService, redis: Redis
) -> None:
    publish_many(site, range(1, KEPT + 21))
    filler = str(site.comments.newest(POST, count=1).filler)
    site.comments.retract(POST, KEPT + 20, 2)
    newest = range(20, KEPT + 20)
    assert site.comments.fill_newest(POST, filler, archived(newest), floor=20)
    ids, _ = stored_newest(redis)
    floor = site.comments.newest(POST, count=1).floor
    assert floor is not None
    assert ids == list(range(floor, KEPT + 20))


def test_list_expires_after_thirty_idle_days(site: VotingService, redis: Redis) -> None:
    lists = (comment_keys.latest(POST), comment_keys.latest_texts(POST))
    thirty_days = [pytest.approx(30 * DAY, abs=3_600)] * 2

    def age() -> None:
        for key in lists:
            redis.expire(key, DAY)

    fill(site, [1])
    assert [redis.ttl(key) for key in lists] == thirty_days
    age()
    publish_comment(site, 2)
    assert [redis.ttl(key) for key in lists] == thirty_days, "a comment renews it"
    age()
    read(site)
    assert [redis.ttl(key) for key in lists] == thirty_days, "a reader renews it"


def test_a_list_kept_alive_by_readers_is_never_stale(site: VotingService, redis: Redis) -> None:
    """Each read delays the list's expiry. Writes update the list, so it never becomes stale."""
    fill(site, [1])
    for number in range(2, 30):
        read(site)
        publish_comment(site, number)
        assert read(site, 1) == [number]
    site.comments.retract(POST, 29, 2)
    assert read(site, 1) == [28]


def test_lists_of_two_posts_are_independent(site: VotingService, redis: Redis) -> None:
    publish(site, POST + 64)
    fill(site)
    publish_comment(site, 1)
    publish_comment(site, 2, post_id=POST + 64)
    assert stored_newest(redis)[0] == [1]
    assert stored_newest(redis, POST + 64)[0] == [2]


def test_fill_overtaken_by_a_rebuild_does_not_count(site: VotingService, redis: Redis) -> None:
    publish_comment(site, 1)
    filler = str(site.comments.newest(POST, count=1).filler)
    site.maintenance.generations.close()
    site.maintenance.generations.clear()
    site.maintenance.generations.open()
    assert not site.comments.fill_newest(POST, filler, archived([1]), floor=0)
    assert site.comments.newest(POST, count=1).floor is None, "the next reader fills it"
