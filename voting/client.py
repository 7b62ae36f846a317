"""The connection to Redis: one server now, the place where a cluster or sentinels would go.

A `Store` runs scripts and plain commands and turns whatever goes wrong on the way into
`StoreUnavailable`. Topic modules know nothing else of how Redis is reached.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import (
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
)
from redis.exceptions import TimeoutError as RedisTimeoutError

from voting.errors import StoreEmpty, StoreUnavailable
from voting.pool import TIMEOUT, GuardedPool
from voting.scripts import Argument, Call

REFUSALS = ("MISCONF", "NOREPLICAS", "BUSY")
"""Beginnings of replies by which a server says that it can't do its work now."""

UNABLE = (
    RedisConnectionError,
    RedisTimeoutError,
    ReadOnlyError,
    OutOfMemoryError,
    MasterDownError,
)
"""What redis-py makes of the other such replies, and of no reply."""

EMPTY = "EMPTY"
"""Beginning of the reply by which our scripts say that a generation is missing."""

IN_PIPELINE = " of pipeline caused error: "
"""What redis-py writes before a reply to one of several commands."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn a failure of the server into StoreUnavailable; a mistake of ours stays as it is."""
    try:
        yield
    except UNABLE as error:
        raise StoreUnavailable(str(error)) from error
    except ResponseError as error:
        reply = str(error).rpartition(IN_PIPELINE)[2]
        if reply.startswith(EMPTY):
            raise StoreEmpty(reply) from error
        if reply.startswith(REFUSALS):
            raise StoreUnavailable(reply) from error
        raise


class Store:
    """A way to one Redis or Valkey server; threads share it."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self._pool = redis.connection_pool
        self._execute: Callable[..., Any] = redis.execute_command

    def run(self, *calls: Call) -> list[Any]:
        """Run scripts in order and return their replies. One round trip, two after a FLUSH.

        Scripts are safe to repeat, so where the server has forgotten one, all are sent again.
        """
        with translated():
            try:
                return self._send([call.by_hash() for call in calls])
            except NoScriptError:
                return self._send([call.by_source() for call in calls])

    def command(self, *words: Argument) -> Any:
        """Run one plain command. One round trip."""
        with translated():
            return self._execute(*words)

    @contextmanager
    def pipeline(self) -> Iterator[Pipeline]:
        """Give a pipeline to fill and `execute()`; it is not a transaction."""
        with translated(), self.redis.pipeline(transaction=False) as pipeline:
            yield pipeline

    def _send(self, commands: Sequence[tuple[Argument, ...]]) -> list[Any]:
        """Send commands at once and return their replies; raise the first error among them.

        Straight over a connection: `Redis.execute_command` would cost some 10 microseconds more.
        """
        connection: Any = self._pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            replies = [_reply(connection) for _ in commands]
        finally:
            self._pool.release(connection)
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies


def _reply(connection: Any) -> Any:
    """Return the next reply, also where it is an error."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def connect(url: str, timeout: float = TIMEOUT) -> Store:
    """Return a store for redis://, rediss:// or unix://; `timeout` is in seconds. No round trip."""
    pool = GuardedPool.from_url(
        url, decode_responses=True, socket_timeout=timeout, socket_connect_timeout=timeout
    )
    return Store(Redis(connection_pool=pool))
