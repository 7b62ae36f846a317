"""The connection to Redis: one server here; `sentinel` and `cluster.store` have others.

A `Store` runs scripts and plain commands and turns whatever goes wrong on the way into
`StoreUnavailable`. Topic modules know nothing else of how Redis is reached.
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

from voting.errors import Forbidden, StoreEmpty, StoreUnavailable
from voting.redis.pool import pack
from voting.redis.replica_acks import Replicas
from voting.redis.scripts import Argument, Asked

REFUSALS = (
    *("MISCONF", "NOREPLICAS", "BUSY", "WRONGTYPE"),
    *("Protocol error: unauthenticated", "DB index is out of range"),
)
"""Beginnings of replies by which a server says that it can't do its work now, or for us: somebody
else uses our keys, say. The last two where it wants a password before it reads a long command, and
has no such database.
"""
FORBIDDEN = ("ACL failure in script", "The user executing the script can't")
"""Beginnings of replies where a script does what our account may not do; the second is Redis 7.0's.
"""

UNABLE = (
    RedisConnectionError,
    RedisTimeoutError,
    ReadOnlyError,
    OutOfMemoryError,
    AskError,
    ClusterDownError,
    TryAgainError,
)
"""What redis-py makes of the other such replies, and of no reply."""

EMPTY = "EMPTY"
"""Beginning of the reply by which our scripts say that a generation is missing."""

IN_PIPELINE = " of pipeline caused error: "
"""What redis-py writes before a reply to one of several commands."""


Observer = Callable[[str, float, bool], None]
"""Hears of every trip that `run` made: the name of what was asked first, the seconds, and whether
it failed.
"""


@contextmanager
def translated() -> Iterator[None]:
    """Turn a failure of the server into StoreUnavailable; a mistake of ours stays as it is."""
    try:
        yield
    except RedisError as error:
        raise_ours(error)


def raise_ours(error: RedisError) -> NoReturn:
    """Raise what a failure of the server is for us."""
    said = ours(error)
    if said is error:
        raise error
    raise said from error


def ours(error: Exception) -> Exception:
    """Return what a failure of the server is for us, or what it was where the mistake is ours."""
    reply = str(error).rpartition(IN_PIPELINE)[2]
    if isinstance(error, UNABLE):
        return StoreUnavailable(str(error))
    if not isinstance(error, ResponseError):
        return error
    if reply.startswith(EMPTY):
        return StoreEmpty(reply)
    if isinstance(error, NoPermissionError) or reply.startswith(FORBIDDEN):
        return Forbidden(reply)
    return StoreUnavailable(reply) if is_refusal(error) else error


def is_refusal(error: Exception) -> bool:
    """Say whether the server is unable to do what is right in itself."""
    reply = str(error).rpartition(IN_PIPELINE)[2]
    return isinstance(error, UNABLE) or reply.startswith(REFUSALS)


class Store:
    """A way to one Redis or Valkey server; threads share it."""

    observe: Observer | None = None
    """Whoever wants to know how long trips take sets this."""

    apart = False
    """Keys lie on several servers, and what a script changes beyond its slot follows in a step."""
    SCANNED = 1_000
    """Keys looked at by one step of `scan`."""

    def __init__(self, redis: Redis, wait_replicas: int = 0) -> None:
        self._replicas = Replicas(wait_replicas)
        self._use(redis)

    def _use(self, redis: Redis) -> None:
        self.redis = redis
        self._pool: Any = redis.connection_pool
        self._execute: Callable[..., Any] = redis.execute_command

    def run(
        self, *calls: Asked, beside: Sequence[Asked] = (), from_copies: bool = False
    ) -> list[Any]:
        """Run scripts, and commands that only read, in order and return their replies. One round
        trip, two after a FLUSH.

        `beside` are scripts that a reader can do without, run after the others: where the server
        only lets itself be read (it is full, say), their replies are None. Scripts are safe to
        repeat, so where the server has forgotten one, all are sent again. `from_copies` lets a
        replica answer, where there is one: all must only read, for somebody who wrote nothing.
        """
        every, needed = (*calls, *beside), len(calls)
        if self.observe is None or not every:
            return self._run(every, needed, from_copies)
        began, failed = perf_counter(), True
        try:
            replies = self._run(every, needed, from_copies)
            failed = False
        finally:
            self.observe(every[0].name, perf_counter() - began, failed)
        return replies

    @property
    def moves(self) -> int:
        """Return how often keys were seen to have moved between servers."""
        return 0

    @property
    def resting(self) -> bool:
        """Say whether the server is not asked for a while because it did not answer."""
        return bool(self._pool.breaker.is_open)

    def command(self, *words: Argument) -> Any:
        """Run one plain command. One round trip."""
        with translated():
            return self._execute(*words)

    def raw(self, *words: Argument) -> bytes | None:
        """Run one plain command whose reply is no text. One round trip."""
        with translated():
            reply: bytes | None = self._execute(*words, **{NEVER_DECODE: True})
            return reply

    def scan(self, pattern: str) -> Iterator[str]:
        """Yield the keys like `pattern`. A round trip for a thousand keys."""
        cursor: int = 0
        while True:
            cursor, found = self.command("SCAN", cursor, "MATCH", pattern, "COUNT", self.SCANNED)
            yield from found
            if not cursor:
                break

    @contextmanager
    def pipeline(self) -> Iterator[Pipeline]:
        """Give a pipeline to fill and `execute()`; it is not a transaction."""
        with translated(), self.redis.pipeline(transaction=False) as pipeline:
            yield pipeline

    def _run(self, every: Sequence[Asked], needed: int, from_copies: bool) -> list[Any]:
        try:
            try:
                return self._send(every, [call.by_hash() for call in every], needed)
            except NoScriptError:
                return self._send(every, [call.by_source() for call in every], needed)
        except RedisError as error:  # `translated` would cost some microseconds more
            raise_ours(error)

    def _send(
        self, calls: Sequence[Asked], commands: Sequence[tuple[Argument, ...]], needed: int
    ) -> list[Any]:
        """Send commands at once and return their replies; raise the first error among them, but
        for refusals of those after the first `needed`.

        Straight over a connection: `Redis.execute_command` would cost some 10 microseconds more.
        """
        waiting = self._replicas.waiting(calls)
        connection: Any = self._pool.get_connection()
        try:
            connection.send_packed_command(pack([*commands, *waiting]))
            replies = [reply_of(connection) for _ in commands]
            if waiting:
                held = [reply_of(connection) for _ in waiting]
                replies = self._replicas.held(calls, replies, held)
        finally:
            self._pool.release(connection)
        for number, reply in enumerate(replies):
            if isinstance(reply, Exception):
                if number < needed or not is_refusal(reply):
                    raise reply
                replies[number] = None
        return replies


def reply_of(connection: Any) -> Any:
    """Return the next reply, also where it is an error."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error
