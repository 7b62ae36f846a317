"""Connections to PostgreSQL that nobody waits for in vain.

The pool connects in threads of its own and tells those who wait neither that it failed nor why, so
that every page waited its full patience for a database that is away. Here the wait is cut into
pieces; between them it is looked whether a connection has just been refused. If so, everybody is
told at once, but for one try a second, as with Redis (`voting.redis.breaker`).
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
from forum.config.postgresql.errors import AllTaken
from voting.redis.breaker import Breaker

GONE = ("08", "57P01", "57P02", "57P03")
"""How the SQLSTATE of an error begins after which nobody is served: the connection is broken, the
server stops, crashes, or starts. Any other comes from a server that answers: it is full (53), say.
"""
SAID = re.compile(r"\w:  ")
"""In what libpq says, the end of the word (FATAL, in the server's language) that begins what a
server said; nothing that libpq says of its own has it.
"""


class Away(psycopg.OperationalError):
    """The database does not answer, or did not a moment ago."""


class _Asked(Breaker):
    """The breaker of this process's database, and why it opened."""

    reason = ""

    def note(self, error: psycopg.OperationalError) -> None:
        """Open where the database did not answer; close where it did, if with a refusal."""
        if _answers(error):
            self.succeeded()
        else:
            self.reason = str(error)
            self.failed()


_database = _Asked()


def _answers(error: psycopg.OperationalError) -> bool:
    """Say whether an error of connecting came from a server that serves others, in whatever
    language it said so. Asks a server that said something once more where psycopg has no SQLSTATE.
    """
    if error.sqlstate:
        return not error.sqlstate.startswith(GONE)
    # psycopg has none of what happens before the log-in. libpq does, and judges by it in PQping.
    # That holds up every thread of this process: not where a server might keep it waiting.
    attempt = error.pgconn
    if attempt is None or not SAID.search(str(error)):
        return False
    told = {one.keyword.decode(): one.val.decode() for one in attempt.info if one.val}
    return PGconn.ping(make_conninfo(**told).encode()) == Ping.OK


class Noted(psycopg.Connection[Any]):
    """A connection that tells the breaker how its making went."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        """Connect."""
        try:
            connection = super().connect(conninfo, **options)
        except psycopg.OperationalError as error:
            _database.note(error)
            raise
        _database.succeeded()
        return connection


class _Errors(DatabaseErrorWrapper):
    """Django's words for what psycopg raises. A server that lets nothing be written, as before a
    standby takes over, or where its disk is full, is away for who writes, and no mistake of ours.
    """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """What Django asks for connections."""

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """Return what turns errors of psycopg into Django's."""
        return _Errors(self)

    @property
    def pool(self) -> ConnectionPool | None:
        """Return this process's pool; None where there is none."""
        pool: ConnectionPool | None = super().pool
        if pool is not None:
            pool.connection_class = Noted
        return pool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection. Raises Away, at once where the database was away a moment ago, and
        AllTaken.
        """
        give_up_at = monotonic() + CONNECTION_WAIT
        while _database.allows():
            try:
                connection = super().get_new_connection(conn_params)
            except PoolTimeout as error:
                if monotonic() >= give_up_at:
                    raise AllTaken(str(error)) from error
            except psycopg.OperationalError as error:
                _database.note(error)
                raise
            else:
                _database.succeeded()
                return connection
        raise Away(_database.reason)
