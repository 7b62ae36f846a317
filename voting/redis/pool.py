"""Connections to Redis that never retry and never wait long.

By default, redis-py sends a command up to ten times when replies are lost. The server may then run
the command several times, and the page is delayed for seconds. With this pool, a lost reply is an
error at once. All connections to a server share one breaker. Django's cache uses this pool too (see
`CACHES`).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import getpid
from threading import Lock
from typing import Any

import hiredis
from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import (
    Connection,
    ConnectionPool,
    HiredisRespSerializer,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from voting.redis.breaker import Breaker

TIMEOUT = 0.5
"""Seconds that a page waits for a connection or a reply."""
PROBE_SECONDS = 5.0
"""Seconds for which a probe without a result blocks other requests (see `Breaker`).

This is longer than it takes to connect, log in and get a reply.
"""

_breakers: dict[str, Breaker] = {}
_breakers_lock = Lock()


def breaker_of(address: str) -> Breaker:
    """Return this process's breaker for the server at `address`."""
    with _breakers_lock:
        return _breakers.setdefault(address, Breaker(PROBE_SECONDS))


class Guarded:
    """A connection that reports successes and failures to the breaker of its server."""

    breaker: Breaker

    def connect(self) -> None:
        """Connect to the server; report a failure to the breaker."""
        try:
            super().connect()  # type: ignore[misc]
        except (RedisConnectionError, RedisTimeoutError):
            self.breaker.failed()
            raise

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read one reply and report success or failure to the breaker.

        An error reply counts as a success, because the server answered.
        """
        try:
            reply = super().read_response(*args, **kwargs)  # type: ignore[misc]
        except (RedisConnectionError, RedisTimeoutError):
            self.breaker.failed()
            raise
        except ResponseError:
            self.breaker.succeeded()
            raise
        self.breaker.succeeded()
        return reply


class GuardedTcp(Guarded, Connection):
    """A connection to a `redis://` address."""


class GuardedTls(Guarded, SSLConnection):
    """A connection to a `rediss://` address, with TLS."""


class GuardedUnix(Guarded, UnixDomainSocketConnection):
    """A connection to a `unix://` address, which is the path of a socket file."""


GUARDED: dict[type, type] = {
    Connection: GuardedTcp,
    SSLConnection: GuardedTls,
    UnixDomainSocketConnection: GuardedUnix,
}


class Packer(HiredisRespSerializer):
    """Converts commands to bytes several times faster than redis-py, which checks every word."""

    def pack(self, *words: Any) -> list[bytes]:
        """Return the bytes of one command, made by hiredis if possible, otherwise by redis-py."""
        try:
            if " " not in words[0]:
                return [hiredis.pack_command(words)]
        except TypeError:
            pass
        packed: list[bytes] = super().pack(*words)
        return packed


_packer = Packer()


def pack(commands: Iterable[Sequence[Any]]) -> list[bytes]:
    """Return the bytes of several commands, in the form that a connection's `send_packed_command`
    takes.
    """
    return [b"".join([part for words in commands for part in _packer.pack(*words)])]


class GuardedPool(ConnectionPool):
    """A pool of connections that report to the breaker. Create a pool with `from_url`."""

    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        address = options.get("path") or f"{options.get('host')}:{options.get('port')}"
        self.breaker = breaker_of(str(address))
        options.setdefault("socket_timeout", TIMEOUT)
        options.setdefault("socket_connect_timeout", TIMEOUT)
        options |= {"retry": Retry(NoBackoff(), 0), "protocol": 2, "command_packer": _packer}
        self._idle: list[Any] = []
        super().__init__(connection_class=GUARDED[connection_class], **options)

    def make_connection(self) -> Any:
        """Return a new connection that reports to the breaker of its server."""
        connection: Any = super().make_connection()
        connection.breaker = self.breaker
        return connection

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Return an open connection. Raises redis-py's ConnectionError while the breaker is open.

        Reuses idle connections without redis-py's bookkeeping, which takes about 10 microseconds.
        """
        if not self.breaker.allows():
            raise RedisConnectionError("the server is down: it did not answer a moment ago")
        try:
            connection = self._idle.pop()
        except IndexError:
            return super().get_connection(*args, **options)
        if _usable(connection):
            return connection
        super().release(connection)
        return super().get_connection(*args, **options)

    def release(self, connection: Any) -> None:
        """Put a connection back into the pool for reuse."""
        if connection.is_connected:
            self._idle.append(connection)
        else:
            self.breaker.abandoned()
            super().release(connection)

    def ask(self, *words: str) -> Any:
        """Run one command and return its reply as the server sent it. One round trip."""
        connection: Any = self.get_connection()
        try:
            connection.send_command(*words)
            return connection.read_response()
        finally:
            self.release(connection)


def _usable(connection: Any) -> bool:
    """Return whether a connection is open, belongs to this process, and has no unread reply."""
    if connection.pid != getpid() or not connection.is_connected:
        return False
    with suppress(RedisConnectionError, RedisTimeoutError, OSError):
        return not connection.can_read()
    return False


class DirectRedis(Redis):
    """A Redis client for Django's cache, which is faster than redis-py's (see `CACHES`).

    redis-py's own client prepares retries and metrics for every command. The site uses neither.
    """

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Run one command and return its reply. One round trip."""
        pool: Any = self.connection_pool
        parse: Any = self.parse_response
        connection = pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_command(*words))
            return parse(connection, words[0], **options)
        finally:
            pool.release(connection)
