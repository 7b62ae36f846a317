"""PostgreSQL stops and starts again while a site uses it."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread

import psycopg
import pytest
from psycopg_pool import PoolTimeout
from pytest_django import DjangoDbBlocker

from forum.config.postgresql.base import DatabaseDown, DatabaseWrapper
from tests.postgresql.servers import Postgres, django_connection, own_postgres, refusal
from tests.postgresql.test_connections import get
from tests.start.site import Site
from tests.waiting import until

pytestmark = pytest.mark.faults

CONNECTIONS = 40
ASKED = 400
AWAY = "The database isn&#x27;t responding, so this page can&#x27;t be shown."


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with own_postgres(CONNECTIONS) as own:
        yield own


@contextmanager
def stopped(postgres: Postgres) -> Iterator[None]:
    """Stop PostgreSQL until the `with` block ends."""
    postgres.stop()
    try:
        yield
    finally:
        postgres.start()


@contextmanager
def counted(postgres: Postgres) -> Iterator[list[socket.socket]]:
    """Accept and close connections in place of the stopped PostgreSQL."""
    attempts: list[socket.socket] = []
    place = postgres.directory / ".s.PGSQL.5432"
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen(64)

        def hang_up() -> None:
            with suppress(OSError):
                while True:
                    attempt, _ = listener.accept()
                    attempts.append(attempt)
                    attempt.close()

        Thread(target=hang_up, daemon=True).start()
        yield attempts
        listener.shutdown(socket.SHUT_RDWR)
    place.unlink()


@pytest.fixture(params=["4", "0"], ids=["with a pool", "without"])
def connection(
    postgres: Postgres,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[DatabaseWrapper]:
    """A Django connection to PostgreSQL, configured as on a site."""
    with (
        django_db_blocker.unblock(),
        django_connection(postgres, request.param, monkeypatch) as made,
    ):
        yield made


def test_database_that_is_down_is_tried_once_a_second(
    postgres: Postgres, connection: DatabaseWrapper
) -> None:
    with stopped(postgres), counted(postgres) as attempts:
        reasons = [refusal(connection) for _ in range(ASKED)]
        assert 0 < len(attempts) < ASKED // 4
    assert all(isinstance(one, psycopg.OperationalError) for one in reasons)
    assert not any(isinstance(one, PoolTimeout) for one in reasons)
    assert sum(isinstance(one, DatabaseDown) for one in reasons) > ASKED // 2
    until(lambda: refusal(connection) is None, "it is asked again by itself")


def test_database_without_free_connections_is_not_down(
    postgres: Postgres, connection: DatabaseWrapper
) -> None:
    connection.close_pool()
    with ExitStack() as taken:
        with suppress(psycopg.OperationalError):
            for _ in range(CONNECTIONS + 1):
                taken.enter_context(postgres.connect())
        reason = refusal(connection)
        assert isinstance(reason, psycopg.OperationalError)
        assert not isinstance(reason, DatabaseDown)
    until(lambda: refusal(connection) is None, "a connection is free again")


@pytest.fixture(scope="module")
def site(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with an embedded Valkey and demo content in PostgreSQL."""
    own = Site(tmp_path_factory.mktemp("site"))
    with own.up(DATABASE_URL=postgres.url, REDIS_URL="", CACHE_URL=""):
        yield own


def test_lists_work_while_the_database_is_down_and_all_pages_afterwards(
    postgres: Postgres, site: Site
) -> None:
    until(lambda: get(site, "new")[0] == 200, "the lists are there")
    assert get(site, "comments")[0] == 200
    with stopped(postgres):
        for _ in range(5):
            status, html, headers = get(site, "comments")
            assert status == 503
            assert AWAY in html
            assert "very busy" not in html
            assert int(headers["Retry-After"]) > 0
            for path in ("", "new", "top?t=day"):
                status, html, _ = get(site, path)
                assert status == 200
                assert "<article" in html
        assert get(site, "healthz")[0] == 200
        assert "The SQL database isn't responding." in get(site, "readyz")[1]
    until(lambda: get(site, "comments")[0] == 200, "all pages come again")
    until(lambda: get(site, "readyz")[0] == 200, "the worker goes on too")
