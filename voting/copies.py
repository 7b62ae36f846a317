"""Replicas that may answer in a master's stead (VOTING_READ_REPLICAS): for guests, who have no vote
of their own to see.

A replica is believed only as long as it hears from its master; else the master is asked. What a
replica has may be older than the master's by what is on its way.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import cycle, islice
from threading import Lock
from time import monotonic
from typing import Any

from redis.exceptions import NoScriptError, ResponseError

from voting.client import UNABLE, reply_of
from voting.errors import StoreUnavailable
from voting.pool import GuardedPool
from voting.scripts import Argument, Call
from voting.topology import Address

TRIED = 2
"""Replicas that are asked for one page at the most."""
LEARNT = 10.0
"""Seconds after which it is asked again which replicas there are."""
PACE = 1.0
"""Seconds after which that is asked again where one did not answer."""
SILENCE = 15
"""Seconds without a word of its master after which a replica is behind; masters speak every 10."""
UNSURE = (*UNABLE, ResponseError)
"""Whatever a replica says instead of an answer, its master is asked."""


class Copies:
    """The replicas of one master, read in turns; threads share it."""

    def __init__(
        self, named: Callable[[], Iterable[Address]], pool_at: Callable[[Address], GuardedPool]
    ) -> None:
        """Read the replicas that `named` tells (it may take a round trip)."""
        self._named, self._pool_at = named, pool_at
        self._pools: dict[Address, GuardedPool] = {}
        self._turns: cycle[GuardedPool] = cycle(())
        self._lock = Lock()
        self._next = 0.0

    def ask(self, calls: Sequence[Call]) -> list[Any] | None:
        """Return the replies to scripts that only read; None where no replica can be relied on.

        One round trip, and one more every ten seconds; two for a replica that is new to a script.
        """
        turns = self._known()
        for pool in islice(turns, min(TRIED, len(self._pools))):
            known_to_rest = pool.breaker.is_open
            try:
                return _answers(pool, calls)
            except UNSURE:
                if not known_to_rest:
                    self._next = min(self._next, monotonic() + PACE)
        return None

    def _known(self) -> Iterable[GuardedPool]:
        """Return the replicas in turns, without end; none where there are none."""
        if monotonic() >= self._next and self._lock.acquire(blocking=False):
            try:
                self._next = monotonic() + LEARNT
                with suppress(StoreUnavailable, *UNSURE):
                    self._learn(self._named())
            finally:
                self._lock.release()
        return self._turns

    def _learn(self, named: Iterable[Address]) -> None:
        addresses = sorted(set(named))
        if addresses != sorted(self._pools):
            known = self._pools
            self._pools = {one: known.get(one) or self._pool_at(one) for one in addresses}
            self._turns = cycle(self._pools.values())


def _answers(pool: GuardedPool, calls: Sequence[Call]) -> list[Any]:
    """Return a replica's replies; raises what it says instead, or where it is behind."""
    try:
        return _sent(pool, [call.by_hash() for call in calls])
    except NoScriptError:
        return _sent(pool, [call.by_source() for call in calls])


def _sent(pool: GuardedPool, commands: Sequence[tuple[Argument, ...]]) -> list[Any]:
    """Send commands behind the question how the replica stands. One round trip."""
    connection: Any = pool.get_connection()
    try:
        told = connection.pack_commands([("INFO", "replication"), *commands])
        connection.send_packed_command(told)
        standing, *replies = [reply_of(connection) for _ in range(1 + len(commands))]
    finally:
        pool.release(connection)
    for reply in (standing, *replies):
        if isinstance(reply, Exception):
            raise reply
    if not _follows(standing):
        raise ResponseError("it does not hear from its master")
    return replies


def _follows(standing: str) -> bool:
    """Say whether a server is a replica that hears from its master."""
    said = dict(line.split(":", 1) for line in standing.split("\r\n") if ":" in line)
    silence = int(said.get("master_last_io_seconds_ago", -1))
    return said.get("master_link_status") == "up" and 0 <= silence < SILENCE
