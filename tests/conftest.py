"""Gives each pytest worker its own Valkey and SQL database, and each test an empty site.

Tests can also use other servers, but delete all data there. Set `TEST_DATABASE_URL` to a
PostgreSQL. Set `TEST_REDIS_URL` to one Redis URL per pytest worker, separated by spaces. If these
are clusters, list one cache server per pytest worker in `TEST_CACHE_URL`.
`tests/cluster/run_with_clusters.py` starts clusters and cache servers, and sets `TEST_REDIS_URL`
and `TEST_CACHE_URL`.
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

from forum.store.service import PATIENCE, WAITS, get_voting_service
from tests.cluster.nodes import plain_client
from tests.patience import people_waiting
from tests.readme import settings_in_readme
from tests.tables import empty_tables
from voting.embedded.valkey import Embedded, start
from voting.keys.daily import day_end, day_of
from voting.types.limits import Window

pytest_plugins = ["tests.forum.people"]
SITE = Path(tempfile.mkdtemp(prefix="rostra-"))


def _own(name: str) -> str:
    """Return the URL of this pytest worker's server, or "" if none is set.

    `name` is the environment variable that lists the servers' URLs, one for each pytest worker.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    named = os.environ.get(name, "").split()
    if named and worker >= len(named):
        raise pytest.UsageError(f"{name} names {len(named)} servers: give -n {len(named)} or less.")
    return named[worker] if named else ""


def _read_settings_of(site: Path) -> None:
    """Set up Django for a site with the data folder `site`.

    Ignores the settings in the shell's environment.
    """
    if settings.configured:
        raise pytest.UsageError("Unset DJANGO_SETTINGS_MODULE: the tests make their own settings.")
    for name in settings_in_readme():
        os.environ.pop(name, None)
    database = os.environ.get("TEST_DATABASE_URL")
    if database:
        os.environ["DATABASE_URL"] = database
        # Tests of races use more threads than a process of the site does.
        os.environ["DATABASE_POOL"] = "32"
    server, cache = _own("TEST_REDIS_URL"), _own("TEST_CACHE_URL")
    if server:
        os.environ["REDIS_URL"], os.environ["CACHE_URL"] = server, cache
        if not cache:
            os.environ["REDIS_URL"], os.environ["CACHE_URL"] = f"{server}?db=0", f"{server}?db=1"
    os.environ["FORUM_DATA"] = str(site)
    # Long timeouts for busy machines; tests of pages' timeouts use `tests.patience`.
    os.environ[PATIENCE] = str(WAITS)
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum.settings"
    django.setup()
    # xdist's workers inherit the environment, but each worker must do this setup itself.
    del os.environ["DJANGO_SETTINGS_MODULE"]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.STATIC_ROOT.mkdir()
    # Tests write faster than people; tests of rate limits set their own.
    generous = {action: (Window(100_000, 1),) for action in settings.LIMITS}
    settings.LIMITS, settings.LIMITS_NEW, settings.SAME_TEXT = generous, generous, 0
    settings.VOTES_A_DAY = settings.VOTES_ON_AUTHOR = 0
    # Tests change data directly, so pages must not be cached. Tests of the page cache set a time.
    settings.GUEST_PAGE_SECONDS = 0
    if not database:
        sqlite = settings.DATABASES["default"]
        sqlite.setdefault("TEST", {})["NAME"] = str(site / "test.sqlite3")
        # Don't wait for the disk: no test needs its data after a power cut.
        sqlite["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"


_read_settings_of(SITE)

bounds.register_profile(
    "everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
bounds.load_profile("everywhere")


def _empty(_case: TransactionTestCase) -> None:
    """Empty the tables after a test that commits, faster than Django's flush."""
    empty_tables()


setattr(TransactionTestCase, "_fixture_teardown", _empty)  # noqa: B010  # not in the stubs


def pytest_collection_finish() -> None:
    """Keep the garbage collector from scanning the tests. This makes the run 5 % shorter."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Delete the temporary files of the run."""
    shutil.rmtree(SITE, ignore_errors=True)


@pytest.fixture(scope="session")
def valkey() -> Iterator[Embedded | None]:
    """This pytest worker's own Valkey, or None if the tests use the servers in TEST_REDIS_URL."""
    if not settings.EMBEDDED:
        yield None
        return
    server = start(settings.VALKEY_DIR)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis(valkey: Embedded | None) -> Iterator[Redis]:
    """A plain redis-py client of the store that this pytest worker uses."""
    with plain_client(settings.REDIS_URL) as client:
        yield client


@pytest.fixture(autouse=True)
def _empty_site(redis: Redis) -> None:
    """Start each test with an empty store, an empty cache, and English as the language.

    Without this, a test would start in the language of the last page that its thread made.
    """
    deactivate()
    redis.flushdb()
    cache.clear()
    get_voting_service().maintenance.generations.open()


@pytest.fixture
def people_wait() -> Iterator[None]:
    """During the test, use the short Redis timeouts that apply while a site makes a page."""
    with people_waiting():
        yield


@pytest.fixture
def one_day() -> Iterator[None]:
    """Keep the voting service's clock from passing midnight (UTC) during the test."""
    service, last = get_voting_service(), day_end(day_of(time())) - 1
    before, service.clock = service.clock, lambda: min(time(), last)
    yield
    service.clock = before
