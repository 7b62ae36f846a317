"""Lets read replicas answer requests of guests (VOTING_READ_REPLICAS).

A replica may lack the newest changes. If a replica has lost contact with its master, the master is
asked instead.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import cycle
from threading import Lock
from time import monotonic
from typing import Any

from redis.exceptions import NoScriptError, ResponseError

from voting.errors import StoreUnavailable
from voting.redis.connection import UNAVAILABLE, reply_of
from voting.redis.pool import GuardedPool, pack
from voting.redis.scripts import Argument, Request
from voting.redis.topology import Address

MAX_ASKED = 2
"""How many replicas to try for one page before asking the master."""
LOOKUP_SECONDS = 10.0
"""Seconds between two lookups of the list of replicas."""
PAUSE = 10.0
"""Seconds for which a replica that failed gets no requests."""
RETRY_SECONDS = 1.0
"""If a replica fails, the list of replicas is looked up again within this many seconds."""
MAX_SILENCE = 15
"""A replica isn't used if its master has sent it nothing for this many seconds.

Masters send a message every 10 seconds.
"""
FAILURES = (*UNAVAILABLE, ResponseError)
"""Errors of a replica after which the master is asked instead."""


Answers = list[Any] | None
"""The replies of a replica to scripts, or None if the master must be asked."""


class ReadReplicas:
    """The replicas of one master, used in turn. Threads may share an object of this class."""

    def __init__(
        self,
        named: Callable[[], Iterable[Address]],
        pool_at: Callable[[Address], GuardedPool],
        first: Sequence[tuple[Argument, ...]] = (),
    ) -> None:
        """Create an object for the replicas of one master.

        `named` returns the addresses of the replicas, and may take a round trip. `pool_at` returns
        the connections to an address. The commands in `first` are sent before each request to a
        replica.
        """
        self._named, self._pool_at, self._first = named, pool_at, first
        self._pools: dict[Address, GuardedPool] = {}
        self._turns: cycle[GuardedPool] = cycle(())
        self._pauses: dict[GuardedPool, float] = {}
        self._lock = Lock()
        self._next_lookup = 0.0

    def ask(self, calls: Sequence[Request]) -> Answers:
        """Return a replica's replies to read-only scripts; None if no replica gave usable replies.

        One round trip, plus one if the list of replicas is looked up, plus one if the replica
        doesn't know a script.
        """
        self._look_up()
        for _ in range(min(MAX_ASKED, len(self._pools))):
            found = self.send(calls)()
            if found is not None:
                return found
        return None

    def send(self, calls: Sequence[Request]) -> Callable[[], Answers]:
        """Send read-only scripts to the next replica; return a function that reads the replies."""
        self._look_up()
        pool = self._next_pool()
        if pool is None:
            return _nothing
        try:
            receive = self._send(pool, [call.by_hash() for call in calls])
        except FAILURES:
            return self._paused(pool)

        def answers() -> Answers:
            try:
                try:
                    return receive()
                except NoScriptError:
                    return self._send(pool, [call.by_source() for call in calls])()
            except FAILURES:
                return self._paused(pool)()

        return answers

    def _next_pool(self) -> GuardedPool | None:
        """Return the connections to the next replica that has not failed recently, or None."""
        for _ in range(len(self._pools)):
            pool = next(self._turns, None)
            if pool is not None and monotonic() >= self._pauses.get(pool, 0.0):
                return pool
        return None

    def _paused(self, pool: GuardedPool) -> Callable[[], None]:
        """Stop using a failed replica for `PAUSE` seconds.

        Return a function that returns None, in place of the function that reads the replies.
        """
        self._pauses[pool] = monotonic() + PAUSE
        self._next_lookup = min(self._next_lookup, monotonic() + RETRY_SECONDS)
        return _nothing

    def _look_up(self) -> None:
        if monotonic() < self._next_lookup or not self._lock.acquire(blocking=False):
            return
        try:
            self._next_lookup = monotonic() + LOOKUP_SECONDS
            with suppress(StoreUnavailable, *FAILURES):
                self._use(self._named())
        finally:
            self._lock.release()

    def _use(self, named: Iterable[Address]) -> None:
        addresses = sorted(set(named))
        if addresses != sorted(self._pools):
            known = self._pools
            self._pools = {one: known.get(one) or self._pool_at(one) for one in addresses}
            self._turns, self._pauses = cycle(self._pools.values()), {}

    def _send(
        self, pool: GuardedPool, commands: Sequence[tuple[Argument, ...]]
    ) -> Callable[[], list[Any]]:
        """Send commands to a replica and ask for its status; return a function that reads the
        replies.

        That function raises an error if a reply is an error, or if the replica has lost its master.
        """
        connection: Any = pool.get_connection()
        try:
            words = [*self._first, ("INFO", "replication"), *commands]
            connection.send_packed_command(pack(words))
        except BaseException:
            pool.release(connection)
            raise

        def receive() -> list[Any]:
            try:
                replies = [reply_of(connection) for _ in words]
            finally:
                pool.release(connection)
            for reply in replies:
                if isinstance(reply, Exception):
                    raise reply
            status, *answers = replies[len(self._first) :]
            if not _follows(status):
                raise ResponseError("the replica does not hear from its master")
            return answers

        return receive


def _nothing() -> None:
    """Return None instead of replies, so that the caller asks the master."""


def _follows(status: str) -> bool:
    """Return whether a server is a replica with a working connection to its master.

    `status` is the server's reply to INFO.
    """
    fields = dict(line.split(":", 1) for line in status.split("\r\n") if ":" in line)
    silence = int(fields.get("master_last_io_seconds_ago", -1))
    return fields.get("master_link_status") == "up" and 0 <= silence < MAX_SILENCE
