"""The connection to one Redis or Valkey server; `sentinel` and `cluster.connection` extend it.

A `Store` runs scripts and plain commands, and turns failures of the server into StoreUnavailable.
The modules in `voting.topics` reach Redis only through a `Store`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NoReturn

from redis import Redis
from redis.client import NEVER_DECODE, Pipeline
from redis.exceptions import (
    AskError,
    ClusterDownError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from voting.errors import StoreEmpty, StoreForbidden, StoreUnavailable
from voting.redis.pool import pack
from voting.redis.replica_acks import ReplicaAcks
from voting.redis.scripts import Argument, Request
from voting.types.observer import Observer

REFUSALS = (
    *("MISCONF", "NOREPLICAS", "BUSY", "WRONGTYPE"),
    *("Protocol error: unauthenticated", "DB index is out of range"),
)
"""Beginnings of the error replies of a server that can't run a correct request.

Examples of causes are a full disk, another program that uses the same keys, a missing password, and
a database that doesn't exist.
"""
FORBIDDEN = ("ACL failure in script", "The user executing the script can't")
"""Beginnings of error replies to scripts that lack permission for a command or key.

Redis 7.0 sends the second text, and later versions send the first.
"""

UNAVAILABLE = (
    RedisConnectionError,
    RedisTimeoutError,
    ReadOnlyError,
    OutOfMemoryError,
    AskError,
    ClusterDownError,
    TryAgainError,
)
"""redis-py's exceptions for a server that doesn't answer or can't do its work now."""

EMPTY = "EMPTY"
"""Beginning of a script's error reply if the store has not been filled."""

IN_PIPELINE = " of pipeline caused error: "
"""In redis-py's errors from a pipeline, the text just before the server's error reply."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn redis-py's errors inside the block into StoreUnavailable if the server failed.

    Other errors, such as programming errors, are raised unchanged.
    """
    try:
        yield
    except RedisError as error:
        raise_translated(error)


def raise_translated(error: RedisError) -> NoReturn:
    """Raise voting's error that corresponds to `error`, or `error` itself if there is none."""
    ours = translate(error)
    if ours is error:
        raise error
    raise ours from error


def translate(error: Exception) -> Exception:
    """Return voting's error that corresponds to `error`, or `error` itself if there is none."""
    reply = str(error).rpartition(IN_PIPELINE)[2]
    if isinstance(error, UNAVAILABLE):
        return StoreUnavailable(str(error))
    if not isinstance(error, ResponseError):
        return error
    if reply.startswith(EMPTY):
        return StoreEmpty(reply)
    if isinstance(error, NoPermissionError) or reply.startswith(FORBIDDEN):
        return StoreForbidden(reply)
    return StoreUnavailable(reply) if is_refusal(error) else error


def is_refusal(error: Exception) -> bool:
    """Return whether an error is the server's fault, such as a full disk, not the request's."""
    reply = str(error).rpartition(IN_PIPELINE)[2]
    return isinstance(error, UNAVAILABLE) or reply.startswith(REFUSALS)


class Store:
    """A connection to one Redis or Valkey server. Threads may share it."""

    observer: Observer | None = None
    """Receives the duration and result of each `run`."""

    is_cluster = False
    """Whether the store is a cluster, where a script can change only one slot."""
    SCAN_COUNT = 1_000
    """The number of keys that one round trip of `scan` looks at."""

    def __init__(self, redis: Redis, wait_replicas: int = 0) -> None:
        self._replica_acks = ReplicaAcks(wait_replicas)
        self._reported_down = True
        self._use(redis)

    def _use(self, redis: Redis) -> None:
        self.redis = redis
        self._pool: Any = redis.connection_pool
        self._execute: Callable[..., Any] = redis.execute_command

    def run(self, *calls: Request, optional: Sequence[Request] = ()) -> list[Any]:
        """Run scripts and read-only commands in order, and return the replies.

        One round trip; two if the server doesn't know a script. A call may run twice, so all calls
        must be repeatable. Calls in `optional` run last; if the server refuses an optional call,
        the reply to this call is None.
        """
        every, needed = (*calls, *optional), len(calls)
        if self.observer is None or not every:
            return self._run(every, needed)
        began, failed = perf_counter(), True
        try:
            replies = self._run(every, needed)
            failed = False
        finally:
            self.observer.round_trip(every[0].name, perf_counter() - began, failed=failed)
            if failed or self._reported_down:
                self._reported_down = self.is_down
                self.observer.breaker(is_open=self._reported_down)
        return replies

    @property
    def slot_moves(self) -> int:
        """Return 0, because slots move to other servers only on a cluster."""
        return 0

    @property
    def is_down(self) -> bool:
        """Return whether the server's breaker is open, because the server did not answer."""
        return bool(self._pool.breaker.is_open)

    def command(self, *words: Argument) -> Any:
        """Run one plain command and return its reply. One round trip."""
        with translated():
            return self._execute(*words)

    def raw(self, *words: Argument) -> bytes | None:
        """Run one plain command and return its reply as bytes. One round trip."""
        with translated():
            reply: bytes | None = self._execute(*words, **{NEVER_DECODE: True})
            return reply

    def scan(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match a pattern. One round trip per 1,000 keys."""
        cursor: int = 0
        while True:
            cursor, found = self.command("SCAN", cursor, "MATCH", pattern, "COUNT", self.SCAN_COUNT)
            yield from found
            if not cursor:
                break

    @contextmanager
    def pipeline(self) -> Iterator[Pipeline]:
        """Yield a pipeline for queued commands, which `execute()` sends. It isn't a transaction."""
        with translated(), self.redis.pipeline(transaction=False) as pipeline:
            yield pipeline

    def _run(self, every: Sequence[Request], needed: int) -> list[Any]:
        try:
            try:
                return self._send(every, [call.by_hash() for call in every], needed)
            except NoScriptError:
                return self._send(every, [call.by_source() for call in every], needed)
        except RedisError as error:  # `translated` would take some microseconds more
            raise_translated(error)

    def _send(
        self, calls: Sequence[Request], commands: Sequence[tuple[Argument, ...]], needed: int
    ) -> list[Any]:
        """Send all commands at once and return the replies; raise the first error among them.

        Only the first `needed` commands have to be accepted. If the server refuses a later command,
        no error is raised, and the reply to that command is None.

        Uses a connection directly, because `Redis.execute_command` takes about 10 microseconds
        longer.
        """
        waits = self._replica_acks.commands(calls)
        connection: Any = self._pool.get_connection()
        try:
            connection.send_packed_command(pack([*commands, *waits]))
            replies = [reply_of(connection) for _ in commands]
            if waits:
                acks = [reply_of(connection) for _ in waits]
                replies = self._replica_acks.check(calls, replies, acks)
        finally:
            self._pool.release(connection)
        for number, reply in enumerate(replies):
            if isinstance(reply, Exception):
                if number < needed or not is_refusal(reply):
                    raise reply
                replies[number] = None
        return replies


def reply_of(connection: Any) -> Any:
    """Return the next reply from a connection. An error reply is returned, not raised."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error
