"""Several machines start at once, and each tries to migrate the same PostgreSQL database."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from forum.config.postgresql.advisory_lock import SETUP_LOCK
from tests.postgresql.servers import Postgres, query_number
from tests.start.site import Site
from tests.waiting import until

pytestmark = pytest.mark.postgresql

MANY = 3


def waiting_for_lock(plain: psycopg.Connection) -> int:
    """Return how many connections wait for the lock that a migrating process holds."""
    return query_number(
        plain,
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_try_advisory_lock%'"
        " AND pid <> pg_backend_pid()",
    )


def wait_until_up(machine: Site, process: subprocess.Popen[bytes]) -> None:
    """Wait until the site responds. If the site's process ends, fail with the output."""
    until(lambda: machine.answers() or process.poll() is not None, "the site answers", seconds=120)
    assert process.poll() is None, machine.output()


def test_migrations_started_at_once_run_one_after_the_other(
    postgres: Postgres, tmp_path: Path
) -> None:
    machines = [Site(tmp_path / f"machine {n}") for n in range(MANY)]
    with postgres.connect() as plain:
        plain.execute("SELECT pg_advisory_lock(%s)", [SETUP_LOCK])
        started = [machine.command("migrate", DATABASE_URL=postgres.url) for machine in machines]
        until(lambda: waiting_for_lock(plain) == MANY, "all of them wait")
        assert (
            query_number(plain, "SELECT count(*) FROM pg_tables WHERE tablename = 'forum_post'")
            == 0
        )
        plain.execute("SELECT pg_advisory_unlock(%s)", [SETUP_LOCK])
        assert [each.wait(timeout=120) for each in started] == [0] * MANY, [
            machine.output() for machine in machines
        ]
        made = sum("Applying forum.0001_initial... OK" in machine.output() for machine in machines)
        assert made == 1
        names = "SELECT count(*) - count(DISTINCT (app, name)) FROM django_migrations"
        assert query_number(plain, names) == 0


@pytest.mark.long
def test_sites_started_at_once_load_the_demo_once(postgres: Postgres, tmp_path: Path) -> None:
    machines = [Site(tmp_path / f"machine {n}") for n in range(2)]
    given = {"DATABASE_URL": postgres.url, "REDIS_URL": "", "CACHE_URL": ""}
    started = [machine.command("up", **given) for machine in machines]
    try:
        for machine, process in zip(machines, started, strict=True):
            wait_until_up(machine, process)
        loaded = [
            machine for machine in machines if "The site was empty: loaded" in machine.output()
        ]
        assert len(loaded) == 1
        with postgres.connect() as plain:
            assert (
                query_number(plain, "SELECT count(*) FROM forum_user WHERE username = 'ada'") == 1
            )
    finally:
        with ExitStack() as stopping:
            for each in started:
                stopping.callback(each.wait, timeout=60)
                each.terminate()
