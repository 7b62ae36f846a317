"""A circuit breaker: stops asking a server that is down, so that requests don't queue for it."""

from collections.abc import Callable
from threading import Lock, get_ident
from time import monotonic

PAUSE = 1.0
"""Seconds without a request after a failure."""


class Breaker:
    """Opens at the first failure. Then allows one probe per `PAUSE` until one succeeds.

    All threads and connection pools of a process share the breaker of a server.
    """

    clock: Callable[[], float] = staticmethod(monotonic)
    """Returns seconds, for breakers and timeouts of connecting. Tests may replace it."""

    def __init__(self, longest: float = PAUSE) -> None:
        """`longest`: upper bound on one probe (s): afterwards another may begin."""
        self._longest = longest
        self._lock = Lock()
        self._next_probe: float | None = None
        self._probed_by: int | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the server did not answer the last request."""
        return self._next_probe is not None

    def allows(self) -> bool:
        """Return whether the server may be asked now; True while open makes this the probe."""
        if self._next_probe is None:
            return True
        with self._lock:
            now = self.clock()
            if self._next_probe is not None and now < self._next_probe:
                return False
            self._next_probe = now + self._longest
            self._probed_by = get_ident()
            return True

    def failed(self) -> None:
        """Open, or stay open: the server did not answer. A request that began before the probe does
        not end the probe.
        """
        with self._lock:
            if self._probed_by in {None, get_ident()}:
                self._pause()

    def abandoned(self) -> None:
        """End this thread's probe, if it has one, without a result."""
        if self._probed_by is not None:
            with self._lock:
                if self._probed_by == get_ident():
                    self._pause()

    def succeeded(self) -> None:
        """Close: the server answered."""
        if self._next_probe is not None:
            with self._lock:
                self._next_probe = self._probed_by = None

    def _pause(self) -> None:
        self._next_probe, self._probed_by = self.clock() + PAUSE, None
