"""A circuit breaker: stops requests to a server that is down, so that no page waits for that
server.
"""

from collections.abc import Callable
from threading import Lock, get_ident
from time import monotonic

PAUSE = 1.0
"""For this many seconds after a failure, no request is sent to the server."""


class Breaker:
    """Opens at the first failure of a server. An open breaker allows one request (a probe) per
    `PAUSE`, until a probe succeeds.

    All threads and connection pools of a process share the breaker of a server.
    """

    clock: Callable[[], float] = staticmethod(monotonic)
    """The clock (seconds) of breakers. Tests may replace it."""

    def __init__(self, longest: float = PAUSE) -> None:
        """Create a closed breaker. A running probe blocks the next probe for at most `longest`
        seconds.
        """
        self._longest = longest
        self._lock = Lock()
        self._next_probe: float | None = None
        self._probed_by: int | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the server failed and no probe has succeeded since."""
        return self._next_probe is not None

    def allows(self) -> bool:
        """Return whether to send a request now. If the breaker is open, an allowed request is the
        probe.
        """
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

        If another thread is running a probe, that probe continues.
        """
        with self._lock:
            if self._probed_by in {None, get_ident()}:
                self._pause()

    def abandoned(self) -> None:
        """End this thread's probe, if any, with no result: the server may be up or down."""
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
