"""Who and what many tests begin with: Ada, Bob, and a site with the demo content."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from time import time
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from redis import Redis

from forum.demo.loading import load_demo
from forum.models import User
from forum.queries.groups import directory
from forum.store import voting
from tests.forum.cast import person
from voting.days import day_of, ends
from voting.types import Rules


@pytest.fixture
def ada() -> User:
    """Ada writes."""
    return person("ada")


@pytest.fixture
def bob() -> User:
    """Bob is somebody else."""
    return person("bob")


@pytest.fixture
def one_day() -> Iterator[None]:
    """The day on which a test begins, which does not end before it."""
    service, last = voting(), ends(day_of(time())) - 1
    before, service._clock = service._clock, lambda: min(time(), last)
    yield
    service._clock = before


@dataclass(frozen=True)
class Copy:
    """All that SQLite and Redis held: rows, and keys with when they end (-1: never)."""

    rows: sqlite3.Connection
    keys: list[tuple[bytes, int, bytes]]


@pytest.fixture(scope="session")
def load_or_copy() -> Callable[[], None]:
    """Load the demo, which takes a second; from the second time of a day on, copy what it made.

    PostgreSQL has no way to copy that would be faster; on a cluster all of it is loaded each time.
    """
    copies: dict[date, Copy] = {}

    def load() -> None:
        today = datetime.now(UTC).date()
        if today in copies:
            _put_back(copies[today])
            return
        load_demo()
        if connection.vendor == "sqlite" and not voting().store.apart:
            copies[today] = _copy()

    return load


@pytest.fixture
def demo(load_or_copy: Callable[[], None]) -> None:
    """Give the site its demo content."""
    load_or_copy()
    directory.forget()


def _copy() -> Copy:
    rows = sqlite3.connect(":memory:")
    connection.connection.backup(rows)
    with Redis.from_url(settings.REDIS_URL) as redis:
        names = list(redis.scan_iter(count=1_000))
        asked = redis.pipeline(transaction=False)
        for name in names:
            asked.pexpiretime(name)
            asked.dump(name)
        told = asked.execute()
    return Copy(rows, list(zip(names, told[::2], told[1::2], strict=True)))


def _put_back(copy: Copy) -> None:
    connection.ensure_connection()
    copy.rows.backup(connection.connection)
    with Redis.from_url(settings.REDIS_URL) as redis:
        written = redis.pipeline(transaction=False)
        for name, ends_at, value in copy.keys:
            written.restore(name, max(ends_at, 0), value, replace=True, absttl=True)
        written.execute()


@pytest.fixture
def new_rules(settings: Any) -> Iterator[Any]:
    """Lets a test start the site again with other rules."""

    def restart(**changed: Any) -> None:
        settings.VOTING_RULES = Rules(**changed)
        voting.cache_clear()

    yield restart
    voting.cache_clear()
