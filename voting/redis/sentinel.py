"""The connection to a Redis master whose address sentinels know.

Sentinels are asked for the master at the start, and again after a failure or a refused write. The
server that they name is used only if its own status says that it is the master.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from voting.errors import StoreEmpty, StoreUnavailable
from voting.redis.connection import Store
from voting.redis.pool import GuardedPool
from voting.redis.scripts import Argument, Request
from voting.redis.topology import Address

LOOKUP_PAUSE = 0.1
"""Minimum seconds between two lookups of the master."""


class SentinelStore(Store):
    """A connection to the master of a service that sentinels watch. Threads may share it."""

    def __init__(
        self,
        sentinels: Sequence[GuardedPool],
        service: str,
        pool_at: Callable[[Address], GuardedPool],
        wait_replicas: int = 0,
    ) -> None:
        self._sentinels = tuple(sentinels)
        self._service = service
        self._pool_at = pool_at
        self._pools: dict[Address, GuardedPool] = {}
        self._master: Address | None = None
        self._lock = Lock()
        self._next = 0.0
        self._doubted = True
        super().__init__(Redis(connection_pool=self._sentinels[0]), wait_replicas)

    def command(self, *words: Argument) -> Any:
        """Run one plain command on the master and return its reply. One round trip."""
        with self._checked_master():
            return super().command(*words)

    def raw(self, *words: Argument) -> bytes | None:
        """Run one plain command on the master and return its reply as bytes. One round trip."""
        with self._checked_master():
            return super().raw(*words)

    @contextmanager
    def pipeline(self) -> Iterator[Pipeline]:
        """Yield a pipeline for queued commands, which `execute()` sends. It isn't a transaction."""
        with self._checked_master(), super().pipeline() as pipeline:
            yield pipeline

    def _run(self, every: Sequence[Request], needed: int) -> list[Any]:
        """Run scripts on the master; run them again if another server has become master."""
        master = self._master
        try:
            with self._checked_master():
                return super()._run(every, needed)
        except StoreUnavailable:
            self._find()
            if self._master == master:
                raise
        with self._checked_master():
            return super()._run(every, needed)

    @contextmanager
    def _checked_master(self) -> Iterator[None]:
        """Use the master inside the `with` block.

        If the last use failed, first ask the sentinels which server is the master now.
        """
        if self._doubted or self.is_down:
            self._doubted = True
            self._find()
        try:
            yield
        except StoreEmpty:
            raise
        except StoreUnavailable:
            self._doubted = True
            raise

    def _find(self) -> None:
        """Ask one sentinel after another, until one names a working master.

        Two round trips per sentinel asked. Raises StoreUnavailable if no master was ever found.
        """
        if self._lock.acquire(blocking=self._master is None):
            try:
                if self._doubted and monotonic() >= self._next:
                    self._doubted = not any(self._follow(one) for one in self._by_health())
                    self._next = monotonic() + LOOKUP_PAUSE
            finally:
                self._lock.release()
        if self._master is None:
            raise StoreUnavailable(f"no sentinel knows a running master of {self._service}")

    def _by_health(self) -> list[GuardedPool]:
        return sorted(self._sentinels, key=lambda pool: pool.breaker.is_open)

    def _follow(self, sentinel: GuardedPool) -> bool:
        """Ask a sentinel for the master, and switch to that server. Return False if that fails."""
        try:
            named = sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
            if not named:
                return False
            address = str(named[0]), int(named[1])
            pool = self._pools.setdefault(address, self._pool_at(address))
            if pool.ask("ROLE")[0] != "master":
                return False
        except (RedisConnectionError, RedisTimeoutError, ResponseError):
            return False
        if address != self._master:
            self._use(Redis(connection_pool=pool))
            self._master = address
        return True
