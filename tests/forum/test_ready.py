"""The readiness check names every part of the site that isn't ready. Pages still work."""

import json
from pathlib import Path
from time import time
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.operations.health import heartbeat, readiness
from forum.store.service import get_voting_service
from tests.disks import fill, small_disk
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def window() -> Client:
    """A guest's browser, on a site whose worker is running."""
    heartbeat.beat()
    return reader()


def missing(window: Client) -> dict[str, str]:
    """Return what isn't ready according to `/readyz`. Assert that the status code agrees."""
    answer = window.get("/readyz")
    report: dict[str, Any] = json.loads(answer.content)
    assert answer.status_code == (200 if report["ready"] else 503)
    assert report["ready"] is not bool(report["missing"])
    assert "no-store" in answer["Cache-Control"]
    found: dict[str, str] = report["missing"]
    return found


def locked(*args: Any) -> None:
    raise OperationalError("could not connect to database at secret-host")


def test_complete_site_is_ready(window: Client) -> None:
    assert missing(window) == {}


def test_readiness_takes_at_most_five_queries(
    window: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    missing(window)
    with django_assert_max_num_queries(5):
        missing(window)


def test_scores_of_other_settings_are_named(window: Client, new_rules: Any) -> None:
    new_rules(weight=864.0)
    found = missing(window)
    assert list(found) == ["rules"]
    assert "restart the worker" in found["rules"]


def test_redis_that_is_down_is_named(window: Client, settings: Any) -> None:
    with redis_down(settings):
        assert missing(window) == {"redis": "Redis isn't responding."}


def test_empty_redis_is_named(window: Client, redis: Redis) -> None:
    redis.flushdb()
    assert missing(window) == {"redis": "Redis is empty; a worker fills it from SQL."}


def test_database_that_is_down_is_named_without_its_address(window: Client) -> None:
    with connection.execute_wrapper(locked):
        assert missing(window) == {"sql": "The SQL database isn't responding."}


def test_unapplied_migrations_are_named(window: Client) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("forum", "0001_initial")
    try:
        assert "forum.0001_initial" in missing(window)["migrations"]
    finally:
        recorder.record_applied("forum", "0001_initial")


def test_worker_that_never_ran_is_missing(window: Client) -> None:
    cache.clear()
    assert missing(window) == {"worker": "No worker is running."}


def test_worker_without_heartbeat_is_missing(window: Client) -> None:
    with patch("forum.operations.health.heartbeat.time", return_value=time()) as now:
        heartbeat.beat()
        now.return_value += 45
        assert missing(window) == {"worker": "No worker has been running for 45 seconds."}


def test_clock_set_back_makes_no_worker_missing(window: Client) -> None:
    with patch("forum.operations.health.heartbeat.time", return_value=time() - 3_600):
        assert missing(window) == {}


def test_ledger_backlog_is_named(window: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "BEHIND", 1)
    written = post(person("ada"))
    get_voting_service().votes.cast(900_501, Target(written.pk), Vote.UP)
    assert missing(window) == {"ledger": "2 votes aren't archived in SQL yet."}


def test_nearly_full_disk_is_named_until_there_is_space(
    window: Client, tmp_path: Path, settings: Any
) -> None:
    with small_disk(tmp_path / "disk", 32 << 20) as disk:
        settings.EMBEDDED, settings.FORUM_DATA = True, disk
        assert missing(window) == {}
        stuffing = fill(disk, room=2 << 20)
        sentence = missing(window)["disk"]
        assert sentence.startswith("The disk of FORUM_DATA is nearly full, with 2 MB left")
        assert str(disk) not in sentence
        stuffing.unlink()
        assert missing(window) == {}


def test_disk_of_the_sqlite_file_is_checked_too(
    window: Client, tmp_path: Path, settings: Any
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has its disk elsewhere")
    settings.EMBEDDED = False
    with small_disk(tmp_path / "disk", 32 << 20) as disk:
        fill(disk)
        with patch.dict(connection.settings_dict, {"NAME": str(disk / "forum.sqlite3")}):
            assert "The disk of the SQLite file is nearly full" in missing(window)["disk"]


def test_site_that_is_not_ready_still_serves_pages(window: Client, settings: Any) -> None:
    with redis_down(settings):
        assert missing(window)
        assert window.get("/").status_code == 200
        assert window.get("/healthz").status_code == 200


def test_readiness_refuses_post(window: Client) -> None:
    assert window.post("/readyz").status_code == 405
