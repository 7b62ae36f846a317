"""The map of a cluster: which server has which slot.

If a slot has moved, the old server's reply (MOVED) names the new server. If a server doesn't
answer, the other servers are asked for a new map.
"""

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from time import monotonic
from typing import Any

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from voting.redis.pool import GuardedPool

Address = tuple[str, int]
LOOKUP_PAUSE = 0.1
"""Minimum seconds between two lookups of the map."""


class Topology:
    """The servers of one cluster, and which slots each has. Threads may share it."""

    def __init__(self, seeds: Iterable[Address], pool_at: Callable[[Address], GuardedPool]) -> None:
        self._seeds = tuple(seeds)
        self._pool_at = pool_at
        self._pools: dict[Address, GuardedPool] = {}
        self._masters: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._known: tuple[Address, ...] = self._seeds
        self._lock, self._pools_lock = Lock(), Lock()
        self._next = 0.0
        self.is_stale = True
        """Whether the map may be wrong, because a server didn't answer or has lost a slot."""
        self.moves = 0
        """How often this process noticed a moved slot."""

    def pool(self, address: Address) -> GuardedPool:
        """Return the pool of connections to the server at `address`. No round trip."""
        with self._pools_lock:
            if address not in self._pools:
                self._pools[address] = self._pool_at(address)
            return self._pools[address]

    def holder(self, key: str) -> Address | None:
        """Return the server that has a key, or None if that is unknown. No round trip."""
        return self._masters[key_slot(key.encode())]

    def master(self, key: str) -> Address:
        """Return the server that has a key. No round trip.

        Raises redis-py's ConnectionError if no server is known for the key.
        """
        holder = self.holder(key)
        if holder is None:
            raise RedisConnectionError(f"no server of the cluster has {key}")
        return holder

    def masters(self) -> tuple[Address, ...]:
        """Return the servers that have slots, according to the map of slots. No round trip."""
        return tuple(sorted({holder for holder in self._masters if holder is not None}))

    def move(self, slot: int, address: Address) -> None:
        """Record that a slot has moved to the server at `address`.

        Before the next request, the servers of all slots are looked up again.
        """
        self._masters[slot] = address
        self.moves += 1
        self.is_stale = True

    def refresh(self) -> None:
        """Look up which server has which slots. One round trip per server asked.

        Asks one server after another, until a server answers. Does nothing if another lookup has
        just ended or is running.
        """
        unknown = self._masters[0] is None
        if not self._lock.acquire(blocking=unknown):
            return
        try:
            if monotonic() >= self._next:
                self._refresh()
                self._next = monotonic() + LOOKUP_PAUSE
        finally:
            self._lock.release()

    def _refresh(self) -> None:
        for address in self._by_health():
            try:
                ranges = self.pool(address).ask("CLUSTER", "SLOTS")
            except (RedisConnectionError, RedisTimeoutError, ResponseError):
                continue
            if ranges:  # empty if a server has just started and does not know the others yet
                self._update(address, ranges)
                self.is_stale = False
                return

    def _by_health(self) -> Iterator[Address]:
        """Yield the servers that can be asked for the map of the cluster.

        Servers whose last request failed come last.
        """
        every = dict.fromkeys((*self._known, *self._seeds))
        yield from sorted(every, key=lambda one: self.pool(one).breaker.is_open)

    def _update(self, source: Address, ranges: Iterable[Any]) -> None:
        masters: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        known: dict[Address, None] = {}
        for first, last, *servers in ranges:
            addresses = [(str(one[0] or source[0]), int(one[1])) for one in servers]
            known |= dict.fromkeys(addresses)
            masters[first : last + 1] = [addresses[0]] * (last + 1 - first)
        self.moves += masters != self._masters
        self._masters, self._known = masters, tuple(known)
