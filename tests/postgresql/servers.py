"""A PostgreSQL server that belongs to one test."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from forum.config.environment import database
from forum.config.postgresql.base import DatabaseWrapper
from tests.waiting import until

INSTALLED = Path("/usr/lib/postgresql")
SUPERUSER = "rostra"


@dataclass(frozen=True)
class Postgres:
    """A PostgreSQL server in its own directory. Clients connect to a socket there."""

    directory: Path
    programs: Path
    connections: int
    """The maximum number of connections."""
    language: str = ""
    """The locale of the server's messages, such as ru_RU. If empty, messages are in English."""

    @property
    def url(self) -> str:
        return f"postgres://{SUPERUSER}@/postgres?host={self.directory}"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.directory), user=SUPERUSER, dbname="postgres", autocommit=True
        )

    def make(self) -> None:
        """Create the database files of an empty server."""
        self._run("initdb", "--username", SUPERUSER, "--auth", "trust", "--no-sync")
        if self.language:
            made = str(self.directory / f"{self.language}.UTF-8")
            self._as_owner("localedef", "-i", self.language, "-f", "UTF-8", made)

    def start(self, *, without_end: bool = False) -> None:
        """Start the server and wait until it responds.

        If `without_end` is true, the server never finishes its start and never accepts connections.
        Then this method returns as soon as the server's process runs.
        """
        waits = self.directory / "sql" / "standby.signal"
        if without_end:
            waits.touch()
        else:
            waits.unlink(missing_ok=True)
        options = (
            f"-k {self.directory} -c listen_addresses= -c fsync=off"
            f" -c max_connections={self.connections} -c superuser_reserved_connections=0"
        )
        if without_end:
            options += " -c hot_standby=off"
        if self.language:
            options += f" -c lc_messages={self.language}.UTF-8"
        log = str(self.directory / "log")
        self._run("pg_ctl", "--log", log, "--wait", "--options", options, "start")

    def stop(self) -> None:
        """Stop the server at once, without a clean shutdown."""
        self._run("pg_ctl", "--mode", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs on the server's data directory."""
        data = str(self.directory / "sql")
        self._as_owner(str(self.programs / program), "--pgdata", data, *arguments)

    def _as_owner(self, *command: str) -> None:
        """Run a program with the server's locale, as a user that PostgreSQL accepts."""
        languages = {"LOCPATH": str(self.directory), "LC_ALL": "C.UTF-8"} if self.language else {}
        owner = "postgres" if os.geteuid() == 0 else None
        subprocess.run(
            command,
            check=True,
            cwd=self.directory,
            env=os.environ | languages,
            stdout=subprocess.DEVNULL,
            user=owner,
            group=owner,
            extra_groups=[] if owner else None,
        )


@contextmanager
def own_postgres(connections: int, language: str = "") -> Iterator[Postgres]:
    """Run a PostgreSQL with at most `connections` connections until the `with` block ends."""
    found = sorted(INSTALLED.glob("*/bin"))
    if not found:
        pytest.skip("No PostgreSQL is installed.")
    directory = Path(tempfile.mkdtemp(prefix="rostra-sql-", dir="/tmp"))
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(directory, owner.pw_uid, owner.pw_gid)
    own = Postgres(directory, found[-1], connections, language)
    own.make()
    own.start()
    try:
        yield own
    finally:
        own.stop()
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def django_connection(
    postgres: Postgres, pool: str, environment: pytest.MonkeyPatch
) -> Iterator[DatabaseWrapper]:
    """Yield a Django connection to the server, as on a site with DATABASE_POOL set to `pool`."""
    environment.setenv("DATABASE_URL", postgres.url)
    environment.setenv("DATABASE_POOL", pool)
    made = ConnectionHandler({"default": database("DATABASE_URL", Path("unused"))})["default"]
    assert isinstance(made, DatabaseWrapper)
    until(lambda: refusal(made) is None, "the database responds")
    yield made
    made.close()
    made.close_pool()


def refusal(connection: DatabaseWrapper) -> BaseException | None:
    """Run a query. If it fails, return the cause of the error, otherwise None."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError as error:
        return error.__cause__
    finally:
        connection.close()
    return None


def query_number(plain: psycopg.Connection, query: str) -> int:
    """Run a query that selects one number, and return this number."""
    (found,) = plain.execute(query.encode()).fetchone() or (0,)
    return int(found)
