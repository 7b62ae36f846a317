"""Each test runs on a private site: the worker's own Valkey and SQLite, emptied for each test.

The environment is prepared before the settings are read, so that tests and a developer's own site
don't affect each other. `TEST_DATABASE_URL` names a PostgreSQL to use, and `TEST_REDIS_URL` a Redis
to empty for each of pytest's workers, separated by spaces. If they are clusters
(`tests/cluster/run_with_clusters.py` starts some), `TEST_CACHE_URL` names servers for the cache.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import time

import django
import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import TransactionTestCase
from django.utils.translation import deactivate
from hypothesis import HealthCheck
from hypothesis import settings as bounds
from redis import Redis

from forum.gateway.service import PATIENCE, WAITS, get_voting_service
from tests.cluster.nodes import plain_client
from tests.patience import people_waiting
from tests.readme import settings_in_readme
from tests.tables import empty_tables
from voting.embedded.valkey import Embedded, start
from voting.keys.daily import day_end, day_of
from voting.types.limits import Window

SITE = Path(tempfile.mkdtemp(prefix="rostra-"))


def _own(name: str) -> str:
    """Return this worker's URL among those of a variable; "" if there are none."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    named = os.environ.get(name, "").split()
    if named and worker >= len(named):
        raise pytest.UsageError(f"{name} names {len(named)} servers: give -n {len(named)} or less.")
    return named[worker] if named else ""


def _read_settings_of(site: Path) -> None:
    """Set up Django for a private site, independent of the shell's environment."""
    if settings.configured:
        raise pytest.UsageError("Unset DJANGO_SETTINGS_MODULE: the tests make their own settings.")
    for name in settings_in_readme():
        os.environ.pop(name, None)
    database = os.environ.get("TEST_DATABASE_URL")
    if database:
        os.environ["DATABASE_URL"] = database
        # Races have more threads than a process of the site.
        os.environ["DATABASE_POOL"] = "32"
    server, cache = _own("TEST_REDIS_URL"), _own("TEST_CACHE_URL")
    if server:
        os.environ["REDIS_URL"], os.environ["CACHE_URL"] = server, cache
        if not cache:
            os.environ["REDIS_URL"], os.environ["CACHE_URL"] = f"{server}?db=0", f"{server}?db=1"
    os.environ["FORUM_DATA"] = str(site)
    # A busy machine is no fault of Redis's; tests of how long people wait say so (`patience`).
    os.environ[PATIENCE] = str(WAITS)
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum.settings"
    django.setup()
    # xdist's workers inherit the environment, and each must come by here itself.
    del os.environ["DJANGO_SETTINGS_MODULE"]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.STATIC_ROOT.mkdir()
    # Tests write faster than people; those of the limits set their own.
    generous = {action: (Window(100_000, 1),) for action in settings.LIMITS}
    settings.LIMITS, settings.LIMITS_NEW, settings.SAME_TEXT = generous, generous, 0
    # Tests write behind the pages' back; those of this memory set its life.
    settings.GUEST_PAGE_SECONDS = 0
    if not database:
        sqlite = settings.DATABASES["default"]
        sqlite.setdefault("TEST", {})["NAME"] = str(site / "test.sqlite3")
        # No test outlives a power cut: none waits for the disk.
        sqlite["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"


_read_settings_of(SITE)

bounds.register_profile(
    "everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
bounds.load_profile("everywhere")


def _empty(_case: TransactionTestCase) -> None:
    """Empty tables after a test that commits.

    Django's own way also empties the others and fills them again with a hundred queries, which took
    a quarter of the tests' time.
    """
    empty_tables()


setattr(TransactionTestCase, "_fixture_teardown", _empty)  # noqa: B010  # not in the stubs


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, which saves a twentieth of the time."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Delete temporary files."""
    shutil.rmtree(SITE, ignore_errors=True)


@pytest.fixture(scope="session")
def valkey() -> Iterator[Embedded | None]:
    """This worker's own server; None if the tests use a given Redis."""
    if not settings.EMBEDDED:
        yield None
        return
    server = start(settings.VALKEY_DIR)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis(valkey: Embedded | None) -> Iterator[Redis]:
    """A plain client of this worker's databases, to look inside."""
    with plain_client(settings.REDIS_URL) as client:
        yield client


@pytest.fixture(autouse=True)
def _begin_anew(redis: Redis) -> None:
    """Start each test with an open, empty store and an empty cache.

    And in English, since the thread keeps the language of the last page.
    """
    deactivate()
    redis.flushdb()
    cache.clear()
    get_voting_service().maintenance.generations.open()


@pytest.fixture
def people_wait() -> Iterator[None]:
    """Wait for Redis as long as pages do, during the whole test."""
    with people_waiting():
        yield


@pytest.fixture
def one_day() -> Iterator[None]:
    """Today, for a test that must not run past midnight."""
    service, last = get_voting_service(), day_end(day_of(time())) - 1
    before, service.clock = service.clock, lambda: min(time(), last)
    yield
    service.clock = before
