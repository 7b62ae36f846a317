"""Loads the demo content for the first test that needs it, and restores a copy for later tests."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis import Redis

from forum.operations.demo.loading import load_demo
from forum.store.service import get_voting_service


@dataclass(frozen=True)
class LoadedDemo:
    """The number of posts in the demo content, and the number of SQL queries for loading it."""

    posts: int
    queries: int


@dataclass(frozen=True)
class Copy:
    """A copy of the demo site's SQLite database and Redis keys.

    For each Redis key, `keys` contains the name, the expiry time in ms since 1970, and the dumped
    value. An expiry time of -1 means that the key doesn't expire.
    """

    loaded: LoadedDemo
    rows: sqlite3.Connection
    keys: list[tuple[bytes, int, bytes]]


class Demo:
    """Loads the demo content into an empty site. Later loads on the same day restore a copy.

    On PostgreSQL and on a Redis cluster, every call loads the content, because restoring a copy
    would not be faster.
    """

    def __init__(self) -> None:
        self._copies: dict[date, Copy] = {}

    def load(self) -> LoadedDemo:
        today = datetime.now(UTC).date()
        if today in self._copies:
            _put_back(self._copies[today])
            return self._copies[today].loaded
        with CaptureQueriesContext(connection) as queries:
            posts = load_demo()
        loaded = LoadedDemo(posts, len(queries))
        if connection.vendor == "sqlite" and not get_voting_service().store.is_cluster:
            self._copies[today] = _copy(loaded)
        return loaded


def _copy(loaded: LoadedDemo) -> Copy:
    rows = sqlite3.connect(":memory:")
    connection.connection.backup(rows)
    with Redis.from_url(settings.REDIS_URL) as redis:
        names = list(redis.scan_iter(count=1_000))
        commands = redis.pipeline(transaction=False)
        for name in names:
            commands.pexpiretime(name)
            commands.dump(name)
        answers = commands.execute()
    keys = zip(names, answers[::2], answers[1::2], strict=True)
    # A key whose time ends while it is being copied has no value.
    return Copy(loaded, rows, [key for key in keys if key[2] is not None])


def _put_back(copy: Copy) -> None:
    connection.ensure_connection()
    copy.rows.backup(connection.connection)
    with Redis.from_url(settings.REDIS_URL) as redis:
        written = redis.pipeline(transaction=False)
        for name, ends_at, value in copy.keys:
            written.restore(name, max(ends_at, 0), value, replace=True, absttl=True)
        written.execute()
