"""Connections that never retry, never wait long, and share one breaker for each server.

By default, redis-py repeats a command up to ten times when replies are lost, which may apply it
several times and delays a page for seconds. Here a lost reply is an error at once; callers may send
absolute states again. The cache uses this pool too (see `CACHES`).
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
from voting.redis.dns import addresses

TIMEOUT = 0.5
"""Seconds a page waits for a connection or a reply."""
PROBE_SECONDS = 5.0
"""Upper bound on one probe while the breaker is open (s): more than the sum of a connection, its
log-in and a reply.
"""

_breakers: dict[str, Breaker] = {}
_breakers_lock = Lock()


def breaker_of(address: str) -> Breaker:
    """Return the breaker this process keeps for a server."""
    with _breakers_lock:
        return _breakers.setdefault(address, Breaker(PROBE_SECONDS))


class Guarded:
    """A connection that reports successes and failures to the breaker of its server."""

    breaker: Breaker

    def connect(self) -> None:
        """Connect unless connected."""
        try:
            super().connect()  # type: ignore[misc]
        except (RedisConnectionError, RedisTimeoutError):
            self.breaker.failed()
            raise

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read one reply. An error is a reply too: an unknown script, say."""
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


class Named(Connection):
    """A connection that waits for name resolution no longer than for the server."""

    def _connect(self) -> Any:
        name, limit = self.host, float(self.socket_connect_timeout or TIMEOUT)
        give_up_at = Breaker.clock() + limit
        connect: Any = super()._connect
        failure: OSError = TimeoutError()
        try:
            for address in addresses(name, limit):
                self.host = address
                try:
                    return connect()
                except OSError as error:
                    failure = error
                if Breaker.clock() > give_up_at:
                    break
            raise failure
        finally:
            self.host = name  # certificates are of names


class GuardedTcp(Guarded, Named):
    """A connection to a `redis://` address."""


class GuardedTls(Guarded, SSLConnection, Named):
    """A connection to a `rediss://` address, with TLS."""


class GuardedUnix(Guarded, UnixDomainSocketConnection):
    """A connection to a `unix://` address, a socket file."""


GUARDED: dict[type, type] = {
    Connection: GuardedTcp,
    SSLConnection: GuardedTls,
    UnixDomainSocketConnection: GuardedUnix,
}


class Packer(HiredisRespSerializer):
    """Serializes commands several times faster than redis-py, which checks every word first."""

    def pack(self, *words: Any) -> list[bytes]:
        """Return a command's bytes; uses redis-py for anything but plain words."""
        try:
            if " " not in words[0]:
                return [hiredis.pack_command(words)]
        except TypeError:
            pass
        packed: list[bytes] = super().pack(*words)
        return packed


_packer = Packer()


def pack(commands: Iterable[Sequence[Any]]) -> list[bytes]:
    """Return the bytes of several commands, in the form that connections send."""
    return [b"".join([part for words in commands for part in _packer.pack(*words)])]


class GuardedPool(ConnectionPool):
    """A pool of guarded connections; made by `GuardedPool.from_url`."""

    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        address = options.get("path") or f"{options.get('host')}:{options.get('port')}"
        self.breaker = breaker_of(str(address))
        options.setdefault("socket_timeout", TIMEOUT)
        options.setdefault("socket_connect_timeout", TIMEOUT)
        options |= {"retry": Retry(NoBackoff(), 0), "protocol": 2, "command_packer": _packer}
        self._idle: list[Any] = []
        super().__init__(connection_class=GUARDED[connection_class], **options)

    def make_connection(self) -> Any:
        """Return a new connection that knows the breaker."""
        connection: Any = super().make_connection()
        connection.breaker = self.breaker
        return connection

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Return a live connection. Raises redis's ConnectionError while the breaker is open.

        Reuses connections without redis-py's own bookkeeping, which takes about 10 microseconds.
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
        """Take a connection back."""
        if connection.is_connected:
            self._idle.append(connection)
        else:
            self.breaker.abandoned()
            super().release(connection)


def _usable(connection: Any) -> bool:
    """Return whether an idle connection is this process's own, open, and owes no reply."""
    if connection.pid != getpid() or not connection.is_connected:
        return False
    with suppress(RedisConnectionError, RedisTimeoutError, OSError):
        return not connection.can_read()
    return False


class DirectRedis(Redis):
    """A client that uses a connection of a `GuardedPool` directly (see `CACHES`).

    redis-py's own client prepares retries and metrics for every command, which we don't use.
    """

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Run one command. One round trip."""
        pool: Any = self.connection_pool
        parse: Any = self.parse_response
        connection = pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_command(*words))
            return parse(connection, words[0], **options)
        finally:
            pool.release(connection)
