"""The site can tell a full PostgreSQL from one that is down, in any language of its messages."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from forum.config.postgresql.base import DatabaseDown, DatabaseWrapper
from tests.postgresql.servers import Postgres, django_connection, own_postgres, refusal
from tests.waiting import until

pytestmark = pytest.mark.postgresql

CONNECTIONS = 12
LANGUAGES = {
    "de_DE": ("schon zu viele Verbindungen", "das Datenbanksystem nimmt keine Verbindungen an"),
    "ru_RU": ("ВАЖНО: .*уже слишком много", "ВАЖНО: .*система БД не принимает"),
}
"""For each locale, parts of two messages of PostgreSQL, as regular expressions.

PostgreSQL sends the first message if no connection is free, and the second while it starts.
"""


@pytest.fixture(scope="module", params=LANGUAGES)
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    with own_postgres(CONNECTIONS, request.param) as own:
        yield own


@pytest.fixture
def connection(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> Iterator[DatabaseWrapper]:
    """A Django connection to PostgreSQL without a pool."""
    with django_db_blocker.unblock(), django_connection(postgres, "0", monkeypatch) as made:
        yield made


def test_database_that_restarts_full_counts_as_up(
    postgres: Postgres, connection: DatabaseWrapper
) -> None:
    postgres.stop()
    assert isinstance(refusal(connection), psycopg.OperationalError)
    assert isinstance(refusal(connection), DatabaseDown), "others fail at once"
    postgres.start()
    with ExitStack() as taken:
        with suppress(psycopg.OperationalError):
            for _ in range(CONNECTIONS + 1):
                taken.enter_context(postgres.connect())
        until(lambda: not isinstance(refusal(connection), DatabaseDown), "it is asked")
        reasons = [refusal(connection) for _ in range(3)]
    full, _starts = LANGUAGES[postgres.language]
    for reason in reasons:
        assert not isinstance(reason, DatabaseDown)
        assert re.search(full, str(reason))


def test_database_that_is_starting_counts_as_down(
    postgres: Postgres, connection: DatabaseWrapper
) -> None:
    postgres.stop()
    postgres.start(without_end=True)
    _full, starts = LANGUAGES[postgres.language]
    try:
        assert re.search(starts, str(refusal(connection)))
        assert isinstance(refusal(connection), DatabaseDown), "others fail at once"
    finally:
        postgres.stop()
        postgres.start()
    until(lambda: refusal(connection) is None, "the database responds again")
