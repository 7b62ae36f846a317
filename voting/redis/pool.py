"""Connections that never retry, never wait long, and share one breaker for each server.

redis-py's own default repeats a command up to ten times when replies are lost, which applies it
more than once and holds a page for seconds; here a lost reply is an error at once, and whoever
sent an absolute state may send it again. The cache uses this pool too (see `CACHES`).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import getpid
from threading import Lock
from time import monotonic
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
LONGEST = 5.0
"""Seconds after which a try that was not heard of again keeps nobody else from trying: longer than
a connection, its log-in and a reply may take one after the other."""

_breakers: dict[str, Breaker] = {}
_breakers_lock = Lock()


def breaker_of(address: str) -> Breaker:
    """Return the breaker this process keeps for a server."""
    with _breakers_lock:
        return _breakers.setdefault(address, Breaker(LONGEST))


class Guarded:
    """What a connection adds: it tells the breaker how its server is doing."""

    breaker: Breaker

    def connect(self) -> None:
        """Connect unless connected."""
        try:
            super().connect()  # type: ignore[misc]
        except (RedisConnectionError, RedisTimeoutError):
            self.breaker.failed()
            raise

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read one reply. An error may be one: that the server has forgotten a script, say."""
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
    """A connection that waits for its server's name no longer than for the server."""

    def _connect(self) -> Any:
        name, limit = self.host, float(self.socket_connect_timeout or TIMEOUT)
        give_up_at = monotonic() + limit
        connect: Any = super()._connect
        failure: OSError = TimeoutError()
        try:
            for address in addresses(name, limit):
                self.host = address
                try:
                    return connect()
                except OSError as error:
                    failure = error
                if monotonic() > give_up_at:
                    break
            raise failure
        finally:
            self.host = name  # certificates are of names


class GuardedTcp(Guarded, Named):
    """redis://"""


class GuardedTls(Guarded, SSLConnection, Named):
    """rediss://"""


class GuardedUnix(Guarded, UnixDomainSocketConnection):
    """unix://"""


GUARDED: dict[type, type] = {
    Connection: GuardedTcp,
    SSLConnection: GuardedTls,
    UnixDomainSocketConnection: GuardedUnix,
}


class Packer(HiredisRespSerializer):
    """Writes commands as Redis reads them; redis-py's own looks at every word first, which takes
    several times longer.
    """

    def pack(self, *words: Any) -> list[bytes]:
        """Return a command's bytes; leaves to redis-py what is not plain words."""
        try:
            if " " not in words[0]:
                return [hiredis.pack_command(words)]
        except TypeError:
            pass
        packed: list[bytes] = super().pack(*words)
        return packed


_packer = Packer()


def pack(commands: Iterable[Sequence[Any]]) -> list[bytes]:
    """Return the bytes of commands that are sent at once, as connections take them."""
    return [b"".join([part for words in commands for part in _packer.pack(*words)])]


class GuardedPool(ConnectionPool):
    """A pool of guarded connections; made by `GuardedPool.from_url`."""

    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        address = options.get("path") or f"{options.get('host')}:{options.get('port')}"
        self.breaker = breaker_of(str(address))
        options.setdefault("socket_timeout", TIMEOUT)
        options.setdefault("socket_connect_timeout", TIMEOUT)
        options |= {"retry": Retry(NoBackoff(), 0), "protocol": 2, "command_packer": _packer}
        self._rested: list[Any] = []
        super().__init__(connection_class=GUARDED[connection_class], **options)

    def make_connection(self) -> Any:
        """Return a new connection that knows the breaker."""
        connection: Any = super().make_connection()
        connection.breaker = self.breaker
        return connection

    def get_connection(self, *args: Any, **options: Any) -> Any:
        """Return a live connection. Raises redis's ConnectionError at once while open.

        One that came back sound is handed out again past redis-py's own bookkeeping, which would
        cost every page some 10 microseconds.
        """
        if not self.breaker.allows():
            raise RedisConnectionError("the server did not answer a moment ago")
        try:
            connection = self._rested.pop()
        except IndexError:
            return super().get_connection(*args, **options)
        if _usable(connection):
            return connection
        super().release(connection)
        return super().get_connection(*args, **options)

    def release(self, connection: Any) -> None:
        """Take a connection back."""
        if connection.is_connected:
            self._rested.append(connection)
        else:
            self.breaker.given_up()
            super().release(connection)


def _usable(connection: Any) -> bool:
    """Say whether a rested connection is this process's own, still open, and owes no reply."""
    if connection.pid != getpid() or not connection.is_connected:
        return False
    with suppress(RedisConnectionError, RedisTimeoutError, OSError):
        return not connection.can_read()
    return False


class DirectRedis(Redis):
    """A client that asks straight over a connection of such a pool (see `CACHES`).

    redis-py's own prepares for retries and meters that nobody uses, at every command.
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
