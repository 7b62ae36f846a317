"""Connections to PostgreSQL that fail at once while the database is down.

The connection pool connects in its own threads, so a request that waits for a connection doesn't
notice if connecting fails. Instead, the request itself checks again and again whether connecting
has failed. While the database is down, one request per second tries to connect.

The site treats Django's `OperationalError`, and no other error, as "the database is down".
"""

import re
from time import monotonic
from types import TracebackType
from typing import Any, Self

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping
from psycopg_pool import ConnectionPool, PoolTimeout

from forum.config.environment import CONNECTION_WAIT
from forum.config.postgresql.errors import PoolExhausted
from voting.redis.breaker import Breaker

DOWN_CODES = ("08", "57P01", "57P02", "57P03")
"""Beginnings of the SQLSTATE codes that mean that the server is down for everybody.

The connection broke, or the server is stopping, crashed or starting. Other codes come from a
working server, for example 53 for insufficient resources.
"""
SERVER_MESSAGE = re.compile(r"\w:  ")
"""Matches the end of the severity, such as FATAL, in a message from the server.

The severity is in the server's language. Messages of the client library libpq have no severity.
"""


class DatabaseDown(psycopg.OperationalError):
    """The database isn't responding, or didn't respond a moment ago."""


class _DatabaseBreaker(Breaker):
    """This process's breaker for the database. `reason` is the error that opened the breaker."""

    reason = ""

    def record(self, error: psycopg.OperationalError) -> None:
        """Open the breaker if the error shows that the server is down; otherwise close it."""
        if _server_answered(error):
            self.succeeded()
        else:
            self.reason = str(error)
            self.failed()


_breaker = _DatabaseBreaker()


def _server_answered(error: psycopg.OperationalError) -> bool:
    """Return whether the server is up for other clients, although it refused this connection."""
    if error.sqlstate:
        return not error.sqlstate.startswith(DOWN_CODES)
    # psycopg has no SQLSTATE for failures before the log-in, and messages are in the server's
    # language, so ping the server. Pings block the process, so ping only after a message.
    attempt = error.pgconn
    if attempt is None or not SERVER_MESSAGE.search(str(error)):
        return False
    options = {one.keyword.decode(): one.val.decode() for one in attempt.info if one.val}
    return PGconn.ping(make_conninfo(**options).encode()) == Ping.OK


class ReportingConnection(psycopg.Connection[Any]):
    """A connection that tells the breaker whether connecting succeeded."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        try:
            connection = super().connect(conninfo, **options)
        except psycopg.OperationalError as error:
            _breaker.record(error)
            raise
        _breaker.succeeded()
        return connection


class _ErrorWrapper(DatabaseErrorWrapper):
    """Turns psycopg's errors into Django's errors.

    Unlike in Django, two more errors become OperationalError: a write to a read-only server, such
    as a standby, and the use of a broken connection.
    """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, (psycopg.errors.ReadOnlySqlTransaction, psycopg.InterfaceError)):
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's PostgreSQL backend with a breaker: during an outage, connecting fails at once."""

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return _ErrorWrapper(self)

    @property
    def pool(self) -> ConnectionPool | None:
        """Return this process's connection pool; None if pooling is turned off."""
        pool: ConnectionPool | None = super().pool
        if pool is not None:
            pool.connection_class = ReportingConnection
        return pool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection. Raises PoolExhausted if the pool has no free connection in time.

        Raises DatabaseDown at once if the database is down or was down a moment ago.
        """
        give_up_at = monotonic() + CONNECTION_WAIT
        while _breaker.allows():
            try:
                connection = super().get_new_connection(conn_params)
            except PoolTimeout as error:
                if monotonic() >= give_up_at:
                    raise PoolExhausted(str(error)) from error
            except psycopg.OperationalError as error:
                _breaker.record(error)
                raise
            else:
                _breaker.succeeded()
                return connection
        raise DatabaseDown(_breaker.reason)
