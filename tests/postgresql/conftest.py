"""Fixtures: a PostgreSQL server for one test, and 100,000 posts for tests of query plans."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from tests.postgresql.servers import Postgres, own_postgres

OTHERS = ("django_session",)
CROWD = Path(__file__).with_name("crowd.sql")


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server that belongs to one test."""
    with own_postgres(50) as own:
        yield own


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Load the 100,000 posts of `crowd.sql`, and empty all tables after the last test."""
    if connection.vendor != "postgresql":
        pytest.skip("TEST_DATABASE_URL names no PostgreSQL.")
    tables = [model._meta.db_table for model in apps.get_app_config("forum").get_models()]
    names = ", ".join(f'"{table}"' for table in [*tables, *OTHERS])
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(CROWD.read_text())
        cursor.execute("VACUUM ANALYZE")
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {names} CASCADE")
