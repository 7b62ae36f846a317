"""Connections to PostgreSQL that nobody waits for in vain.

The pool connects in threads of its own and tells those who wait neither that it failed nor why, so
that every page waited its full patience for a database that is away. Here the wait is cut into
pieces; between them it is looked whether a connection has just been refused. If so, everybody is
told at once, but for one try a second, as with Redis (`voting.breaker`).
"""

from time import monotonic
from typing import Any, Self

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool, PoolTimeout

from forum.environment import SQL_PATIENCE
from voting.breaker import Breaker

ANSWER, NOT_YET = "FATAL:", "the database system is "
"""A refusal in the first words came from a living server (it is full, say), unless it also has the
second (starting up, shutting down). psycopg gives no code of what happens before the log-in, so the
server must speak English (`lc_messages`)."""


class Away(psycopg.OperationalError):
    """The database does not answer, or did not a moment ago."""


class _Asked(Breaker):
    """The breaker of this process's database, and why it opened."""

    reason = ""

    def note(self, error: psycopg.OperationalError) -> None:
        """Open where the database did not answer."""
        said = str(error)
        if ANSWER not in said or NOT_YET in said:
            self.reason = said
            self.failed()


_database = _Asked()


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


class DatabaseWrapper(base.DatabaseWrapper):
    """What Django asks for connections."""

    @property
    def pool(self) -> ConnectionPool | None:
        """Return this process's pool; None where there is none."""
        pool: ConnectionPool | None = super().pool
        if pool is not None:
            pool.connection_class = Noted
        return pool

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection. Raises Away, at once where the database was away a moment ago, and
        PoolTimeout where all are taken for longer than anybody waits.
        """
        give_up_at = monotonic() + SQL_PATIENCE
        while _database.allows():
            try:
                connection = super().get_new_connection(conn_params)
            except PoolTimeout:
                if monotonic() >= give_up_at:
                    raise
            except psycopg.OperationalError as error:
                _database.note(error)
                raise
            else:
                _database.succeeded()
                return connection
        raise Away(_database.reason)
