"""A circuit breaker: stops requests to a server that is down, so that no page waits for it."""

from collections.abc import Callable
from threading import Lock, get_ident
from time import monotonic

PAUSE = 1.0
"""Seconds without a request to the server after a failure."""


class Breaker:
    """Opens at the first failure of a server; then allows one request (a probe) per `PAUSE` until
    one succeeds.

    All threads and connection pools of a process share the breaker of a server.
    """

    clock: Callable[[], float] = staticmethod(monotonic)
    """The clock (seconds) of breakers. Tests may replace it."""

    def __init__(self, longest: float = PAUSE) -> None:
        """Create a closed breaker. A probe blocks the next one for `longest` seconds at most."""
        self._longest = longest
        self._lock = Lock()
        self._next_probe: float | None = None
        self._probed_by: int | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the server did not answer, and no probe has succeeded since."""
        return self._next_probe is not None

    def allows(self) -> bool:
        """Return whether to send a request now; if the breaker is open, it is the probe."""
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
        """Open the breaker, or keep it open, because the server did not answer.

        The failure of a request that began before the probe does not end the probe.
        """
        with self._lock:
            if self._probed_by in {None, get_ident()}:
                self._pause()

    def abandoned(self) -> None:
        """End this thread's probe, if any, without knowing whether the server answers."""
        if self._probed_by is not None:
            with self._lock:
                if self._probed_by == get_ident():
                    self._pause()

    def succeeded(self) -> None:
        """Close the breaker, because the server answered."""
        if self._next_probe is not None:
            with self._lock:
                self._next_probe = self._probed_by = None

    def _pause(self) -> None:
        self._next_probe, self._probed_by = self.clock() + PAUSE, None
