"""Every test runs on a private site: its worker's own Valkey and SQLite, emptied each time.

The environment is made before the settings are read, so nothing of a developer's own site or
shell reaches a test, nor the other way round. `TEST_DATABASE_URL` names a PostgreSQL to use.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from django.conf import settings
from redis import Redis

from forum.store import voting
from voting import embedded
from voting.sockets import socket_path

SITE = Path(tempfile.mkdtemp(prefix="rostra-"))


def _read_settings_of(site: Path) -> None:
    """Set Django up for a site of its own, whatever the shell's environment says."""
    if settings.configured:
        raise pytest.UsageError("Unset DJANGO_SETTINGS_MODULE: the tests make their own settings.")
    for name in ("CACHE_URL", "DATABASE_URL", "EMAIL_URL", "PRODUCTION", "REDIS_URL", "SITE_URL"):
        os.environ.pop(name, None)
    database = os.environ.get("TEST_DATABASE_URL")
    if database:
        os.environ["DATABASE_URL"] = database
    os.environ["FORUM_DATA"] = str(site)
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum.settings"
    django.setup()
    # xdist's workers inherit the environment, and each must come by here itself.
    del os.environ["DJANGO_SETTINGS_MODULE"]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    if not database:
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = str(site / "test.sqlite3")


_read_settings_of(SITE)


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    shutil.rmtree(SITE, ignore_errors=True)


@pytest.fixture(scope="session")
def valkey() -> Iterator[embedded.Embedded]:
    """This worker's server."""
    server = embedded.start(settings.VALKEY_DIR)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis(valkey: embedded.Embedded) -> Iterator[Redis]:
    """A plain client of this worker's server, to look behind the door."""
    with Redis(unix_socket_path=str(socket_path(settings.VALKEY_DIR)), decode_responses=True) as r:
        yield r


@pytest.fixture(autouse=True)
def _empty_store(redis: Redis) -> None:
    """Start every test with a store that is open and holds nothing; the cache is emptied too."""
    redis.flushall()
    voting().upkeep.open_store()
