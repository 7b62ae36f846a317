"""A person's activity is recorded once a day, copied to SQL, and shown only to that person."""

import re
from calendar import month_abbr
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import sleep
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory
from redis import Redis

from forum.identity.activity import forget, record
from forum.ledger.activity import archive_recent
from forum.models import ActivityPiece, User
from forum.operations.repair.rebuild import ensure_filled
from forum.queries.people import highest_id
from forum.store.service import get_voting_service
from tests.forum.factories import person, reader
from tests.forum.outages import redis_down
from tests.voting.sites import Clock

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("one_day"),
    pytest.mark.dialect,
]


@pytest.fixture
def ada() -> User:
    forget()
    return person("ada")


def here() -> int:
    return get_voting_service().activity.on(get_voting_service().activity.today(), highest_id())


def test_opening_a_page_records_a_members_activity(ada: User) -> None:
    reader().get("/")
    assert here() == 0
    reader(ada).get("/")
    reader(ada).get("/new")
    assert here() == 1
    assert get_voting_service().activity.days_of(ada.pk, [get_voting_service().activity.today()])


def test_activity_is_recorded_after_the_response(ada: User) -> None:
    cookies = reader(ada).cookies.output(header="", sep=";")
    environ = RequestFactory(headers={"Cookie": cookies.strip()}).get("/").environ
    answer = WSGIHandler()(environ, Mock())
    assert b"ada" in b"".join(answer)
    assert here() == 0
    answer.close()
    assert here() == 1


def test_the_calendar_shows_today_even_as_the_first_page(ada: User) -> None:
    assert "1 in the last 53 weeks" in reader(ada).get("/u/ada/activity").content.decode()


def test_the_calendar_names_its_months_and_weekdays(ada: User) -> None:
    html = reader(ada).get("/u/ada/activity").content.decode()
    names = re.findall(r"<text[^>]*>(\w+)</text>", html)
    assert names[-3:] == ["Mon", "Wed", "Fri"]
    assert set(names[:-3]) == set(month_abbr[1:])


def test_recording_activity_takes_one_round_trip_a_day(redis: Redis, ada: User) -> None:
    window = reader(ada)
    window.get("/")
    before = redis.info("commandstats")["cmdstat_setbit"]["calls"]
    for _ in range(3):
        window.get("/")
    assert redis.info("commandstats")["cmdstat_setbit"]["calls"] == before


def test_activity_is_recorded_for_each_day(ada: User, voting_clock: Clock) -> None:
    for _day in range(2):
        reader(ada).get("/")
        assert here() == 1
        voting_clock.advance(86_400)


def test_activity_recorded_at_midnight_does_not_hide_the_next_day(
    ada: User, redis: Redis, voting_clock: Clock
) -> None:
    bob = person("bob")
    redis.client_pause(500)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(record, ada.pk)
        sleep(0.1)
        voting_clock.advance(86_400)
        threads.submit(record, bob.pk)
    record(ada.pk)
    assert here() == 2


def test_activity_is_recorded_once_redis_is_back(ada: User, settings: Any) -> None:
    with redis_down(settings):
        assert reader(ada).get("/").status_code == 200
    reader(ada).get("/")
    assert here() == 1


def test_days_lost_with_redis_are_restored_from_sql(redis: Redis, ada: User) -> None:
    activity = get_voting_service().activity
    yesterday = activity.today() - timedelta(days=1)
    activity.record(ada.pk, yesterday)
    reader(ada).get("/")
    archive_recent()
    redis.flushall()
    ensure_filled()
    assert here() == 1
    assert activity.on(yesterday, highest_id()) == 1


def test_an_emptied_redis_removes_nobody_from_sql(redis: Redis, ada: User) -> None:
    bob, activity = person("bob"), get_voting_service().activity
    activity.record(ada.pk)
    archive_recent()
    redis.flushall()
    activity.record(bob.pk)
    archive_recent()
    kept = ActivityPiece.objects.get(day=activity.today())
    assert int.from_bytes(bytes(kept.bits)).bit_count() == 2


def test_people_see_their_own_activity(ada: User) -> None:
    activity = get_voting_service().activity
    today = activity.today()
    for ago in (0, 1, 2, 300, 380):
        activity.record(ada.pk, today - timedelta(days=ago))
    page = reader(ada).get("/u/ada/activity").content.decode()
    month = sum((today - timedelta(days=ago)).month == today.month for ago in (0, 1, 2))
    assert f"Days visited: {month} this month, 4 in the last 53 weeks." in page
    assert page.count(": visited</title>") == 4
    assert "<script" not in page.split("<main")[1]


def test_people_see_their_activity_without_redis(ada: User, settings: Any) -> None:
    activity = get_voting_service().activity
    activity.record(ada.pk, activity.today() - timedelta(days=1))
    reader(ada).get("/")
    archive_recent()
    window = reader(ada)
    with redis_down(settings):
        page = window.get("/u/ada/activity").content.decode()
    assert "2 in the last 53 weeks" in page


def test_nobody_else_sees_a_persons_activity(ada: User) -> None:
    assert reader(person("bob")).get("/u/ada/activity").status_code == 403
    assert reader().get("/u/ada/activity").status_code == 302
    assert reader(ada).get("/u/nobody/activity").status_code == 404
    assert "/u/ada/activity" not in reader(person("cleo")).get("/u/ada/").content.decode()
    assert "/u/ada/activity" in reader(ada).get("/u/ada/").content.decode()
