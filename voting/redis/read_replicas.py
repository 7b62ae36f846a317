"""Replicas that may answer in a master's stead (VOTING_READ_REPLICAS): for guests, who have no vote
of their own to see.

A replica is believed only as long as it hears from its master; else the master is asked. What a
replica has may be older than the master's by what is on its way.
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

TRIED = 2
"""Replicas that are asked for one page at the most."""
LEARNT = 10.0
"""Seconds after which it is asked again which replicas there are."""
REST = 10.0
"""Seconds for which one that failed is left alone: there is no hurry, since the master answers."""
PACE = 1.0
"""Seconds after which that is asked again where one did not answer."""
SILENCE = 15
"""Seconds without a word of its master after which a replica is behind; masters speak every 10."""
UNSURE = (*UNAVAILABLE, ResponseError)
"""Whatever a replica says instead of an answer, its master is asked."""


Answers = list[Any] | None
"""The replies to scripts; None where the master must be asked."""


class ReadReplicas:
    """The replicas of one master, read in turns; threads share it."""

    def __init__(
        self,
        named: Callable[[], Iterable[Address]],
        pool_at: Callable[[Address], GuardedPool],
        first: Sequence[tuple[Argument, ...]] = (),
    ) -> None:
        """Read the replicas that `named` tells (it may take a round trip), over connections of
        their own; each is told `first` before anything else.
        """
        self._named, self._pool_at, self._first = named, pool_at, first
        self._pools: dict[Address, GuardedPool] = {}
        self._turns: cycle[GuardedPool] = cycle(())
        self._rests: dict[GuardedPool, float] = {}
        self._lock = Lock()
        self._next = 0.0

    def ask(self, calls: Sequence[Request]) -> Answers:
        """Return the replies to scripts that only read; None where no replica can be relied on.

        One round trip, and one more every ten seconds; two for a replica that is new to a script.
        """
        self._learn()
        for _ in range(min(TRIED, len(self._pools))):
            found = self.send(calls)()
            if found is not None:
                return found
        return None

    def send(self, calls: Sequence[Request]) -> Callable[[], Answers]:
        """Send such scripts to the next replica; return what waits for the replies."""
        self._learn()
        pool = self._awake()
        if pool is None:
            return _nothing
        try:
            receive = self._sent(pool, [call.by_hash() for call in calls])
        except UNSURE:
            return self._rested(pool)

        def heard() -> Answers:
            try:
                try:
                    return receive()
                except NoScriptError:
                    return self._sent(pool, [call.by_source() for call in calls])()
            except UNSURE:
                return self._rested(pool)()

        return heard

    def _awake(self) -> GuardedPool | None:
        """Return the replica whose turn it is, of those that did not fail lately."""
        for _ in range(len(self._pools)):
            pool = next(self._turns, None)
            if pool is not None and monotonic() >= self._rests.get(pool, 0.0):
                return pool
        return None

    def _rested(self, pool: GuardedPool) -> Callable[[], None]:
        """Leave a replica that failed alone for a while, and ask soon which ones there are."""
        self._rests[pool] = monotonic() + REST
        self._next = min(self._next, monotonic() + PACE)
        return _nothing

    def _learn(self) -> None:
        """Ask which replicas there are, where that was not done for a while."""
        if monotonic() < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            self._next = monotonic() + LEARNT
            with suppress(StoreUnavailable, *UNSURE):
                self._know(self._named())
        finally:
            self._lock.release()

    def _know(self, named: Iterable[Address]) -> None:
        addresses = sorted(set(named))
        if addresses != sorted(self._pools):
            known = self._pools
            self._pools = {one: known.get(one) or self._pool_at(one) for one in addresses}
            self._turns, self._rests = cycle(self._pools.values()), {}

    def _sent(
        self, pool: GuardedPool, commands: Sequence[tuple[Argument, ...]]
    ) -> Callable[[], list[Any]]:
        """Send commands behind the question how the replica stands; return what reads the replies.

        That raises what it says instead of one, or where it does not follow its master.
        """
        connection: Any = pool.get_connection()
        try:
            told = [*self._first, ("INFO", "replication"), *commands]
            connection.send_packed_command(pack(told))
        except BaseException:
            pool.release(connection)
            raise

        def receive() -> list[Any]:
            try:
                replies = [reply_of(connection) for _ in told]
            finally:
                pool.release(connection)
            for reply in replies:
                if isinstance(reply, Exception):
                    raise reply
            standing, *answers = replies[len(self._first) :]
            if not _follows(standing):
                raise ResponseError("it does not hear from its master")
            return answers

        return receive


def _nothing() -> None:
    """Return that the master must be asked."""


def _follows(standing: str) -> bool:
    """Say whether a server is a replica that hears from its master."""
    said = dict(line.split(":", 1) for line in standing.split("\r\n") if ":" in line)
    silence = int(said.get("master_last_io_seconds_ago", -1))
    return said.get("master_link_status") == "up" and 0 <= silence < SILENCE
