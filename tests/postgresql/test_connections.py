"""A running site while PostgreSQL is down or has no free connections."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from email.message import Message
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest

from tests.postgresql.servers import Postgres, own_postgres, query_number
from tests.start.site import Site
from tests.waiting import until

pytestmark = pytest.mark.postgresql

CONNECTIONS = 12
POOL = 2
PROCESSES = 3
"""Number of the site's processes: `up` itself, one web process, and the worker."""
SENTENCE = "The database has no free connection, so nothing was saved."


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with own_postgres(CONNECTIONS) as own:
        yield own


@pytest.fixture(scope="module")
def site(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running site with an embedded Valkey and PostgreSQL."""
    own = Site(tmp_path_factory.mktemp("site"))
    with own.up(
        "--no-demo", DATABASE_URL=postgres.url, DATABASE_POOL=str(POOL), REDIS_URL="", CACHE_URL=""
    ):
        yield own


def get(site: Site, path: str) -> tuple[int, str, Message]:
    """Return a page's status, text and headers."""
    try:
        with urlopen(f"http://localhost:{site.port}/{path}", timeout=30) as page:
            return page.status, page.read().decode(), page.headers
    except HTTPError as refusal:
        return refusal.code, refusal.read().decode(), refusal.headers


def connected(plain: psycopg.Connection) -> int:
    """Return how many connections to PostgreSQL the site has open."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    return query_number(plain, f"{query} AND pid <> pg_backend_pid()")


@contextmanager
def full(postgres: Postgres) -> Iterator[None]:
    """Close the site's connections to PostgreSQL, and use up all connections."""
    with ExitStack() as taken:
        plain = taken.enter_context(postgres.connect())
        plain.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        with suppress(psycopg.OperationalError):
            while True:
                taken.enter_context(postgres.connect())
        yield


def test_many_readers_share_few_connections(postgres: Postgres, site: Site) -> None:
    with postgres.connect() as plain, ThreadPoolExecutor(16) as readers:
        pages = list(readers.map(lambda _: get(site, "comments")[0], range(64)))
        assert pages == [200] * 64
        assert connected(plain) <= POOL * PROCESSES


def test_without_free_connections_the_page_says_why_and_when_to_retry(
    postgres: Postgres, site: Site
) -> None:
    assert get(site, "comments")[0] == 200
    with full(postgres):
        status, html, headers = get(site, "comments")
        assert status == 503
        assert SENTENCE in html
        assert int(headers["Retry-After"]) > 0
        assert get(site, "new")[0] == 200, "listings come from Redis"
    until(lambda: get(site, "comments")[0] == 200, "the page works again")


def test_waiting_too_long_for_a_connection_gives_503(postgres: Postgres, site: Site) -> None:
    with postgres.connect() as plain, ThreadPoolExecutor(POOL + 1) as readers:
        with plain.transaction():
            plain.execute("LOCK TABLE forum_comment IN ACCESS EXCLUSIVE MODE")
            requests = [readers.submit(get, site, "comments") for _ in range(POOL + 1)]
            until(lambda: any(one.done() for one in requests), "a request is refused")
            (refused,) = [one.result() for one in requests if one.done()]
            assert refused[0] == 503
            assert SENTENCE in refused[1]
        assert sorted(one.result()[0] for one in requests) == [200] * POOL + [503]


def test_no_dead_connection_is_used_after_a_database_restart(
    postgres: Postgres, site: Site
) -> None:
    assert get(site, "comments")[0] == 200
    postgres.stop()
    assert get(site, "comments")[0] == 503
    postgres.start()
    until(lambda: get(site, "comments")[0] == 200, "the database is used again")
    assert [get(site, "comments")[0] for _ in range(4)] == [200] * 4
