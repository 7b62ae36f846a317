"""Activity: how many people were active on one day, on all of several days, or on any of these."""

from collections.abc import Iterable
from datetime import date, timedelta

import pytest
from redis import Redis

from tests.voting.sites import Clock
from voting.keys import daily
from voting.keys.daily import day_end, days_up_to
from voting.service import VotingService

PIECE = daily.ACTIVITY_BITS
FAR = 3 * PIECE + 5
"""The id of a person whose activity is stored in the fourth part of each day's bitmap."""


@pytest.fixture
def days(site: VotingService) -> tuple[date, ...]:
    """The last three days, as dates."""
    return days_up_to(site.activity.today(), 3)


def come(site: VotingService, day: date, people: Iterable[int]) -> None:
    for person in people:
        site.activity.record(person, day)


def test_person_who_comes_twice_is_active_once(site: VotingService) -> None:
    for person in (1, 2, 2, FAR):
        site.activity.record(person)
    assert site.activity.on(site.activity.today(), highest=FAR) == 3


def test_counts_of_people_active_on_every_day_and_on_any(
    site: VotingService, days: tuple[date, ...]
) -> None:
    for day, people in zip(days, ([1, 2, FAR], [1, FAR], [1, 3, FAR]), strict=True):
        come(site, day, people)
    activity = site.activity
    assert activity.on_every(days, FAR) == 2, "1 and the far one"
    assert activity.on_any(days, FAR) == 4


def test_day_without_activity_counts_as_a_day(site: VotingService, days: tuple[date, ...]) -> None:
    come(site, days[0], [1])
    assert site.activity.on_every(days, 1) == 0
    assert site.activity.on(days[1], 1) == 0


def test_only_the_given_people_are_counted(site: VotingService, days: tuple[date, ...]) -> None:
    come(site, days[0], [1, 2, 3])
    assert site.activity.among(days, site.activity.bitmaps([2, 3, 4])) == 2


def test_active_days_of_one_person(site: VotingService, days: tuple[date, ...]) -> None:
    come(site, days[0], [FAR])
    come(site, days[2], [FAR, 1])
    assert site.activity.days_of(FAR, days) == {days[0], days[2]}
    assert site.activity.days_of(1, days) == {days[2]}
    assert site.activity.days_of(2, days) == frozenset()


def test_counting_leaves_no_keys(site: VotingService, days: tuple[date, ...], redis: Redis) -> None:
    come(site, days[0], [1, FAR])
    before = set(redis.keys("{act*"))
    site.activity.on_any(days, FAR)
    site.activity.among(days, site.activity.bitmaps([1, FAR]))
    assert set(redis.keys("{act*")) == before


def test_a_day_begins_at_midnight_by_utc(site: VotingService, clock: Clock) -> None:
    today = site.activity.today()
    clock.now = day_end(today) - 1
    site.activity.record(1)
    clock.advance(1)
    site.activity.record(1)
    assert site.activity.days_of(1, days_up_to(today + timedelta(days=1), 2)) == {
        today,
        today + timedelta(days=1),
    }


def test_a_piece_takes_128_kilobytes_and_lives_400_days(site: VotingService, redis: Redis) -> None:
    site.activity.record(2 * PIECE - 1)
    today = site.activity.today()
    key = daily.activity(1, today.isoformat())
    assert redis.strlen(key) == 128 * 1_024
    assert redis.expiretime(key) == day_end(today) + 400 * 86_400


def test_archived_people_are_added_to_those_active_since(site: VotingService, redis: Redis) -> None:
    today = site.activity.today()
    come(site, today, [1, 8, FAR])
    archived = site.activity.bits(today, FAR)
    assert set(archived) == {0, 3}
    redis.flushdb()
    site.activity.record(2)
    for _ in range(2):
        for piece, bits in archived.items():
            site.activity.fill(today, piece, bits)
    assert site.activity.on(today, FAR) == 4
    assert site.activity.days_of(8, [today]) == {today}
