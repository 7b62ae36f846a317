"""A circuit breaker: stops requests to a server that is down, so that pages don't wait for it."""

from collections.abc import Callable
from threading import Lock, get_ident
from time import monotonic

PAUSE = 1.0
"""After a failure, no request is sent to the server for this many seconds."""


class Breaker:
    """Blocks requests to a server that failed, except one probe every `PAUSE` seconds.

    When a probe succeeds, the breaker allows all requests again. All threads and connection pools
    of a process share the breaker of a server.
    """

    clock: Callable[[], float] = staticmethod(monotonic)
    """The clock (seconds) of breakers. Tests may replace it."""

    def __init__(self, longest: float = PAUSE) -> None:
        """Create a breaker that allows all requests, until one fails.

        If a probe (a request that tests the server) takes more than `longest` seconds, the breaker
        allows another probe.
        """
        self._longest = longest
        self._lock = Lock()
        self._next_probe: float | None = None
        self._probed_by: int | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the server failed and no request has succeeded since."""
        return self._next_probe is not None

    def allows(self) -> bool:
        """Return whether a request may be sent now.

        While the breaker is open, an allowed request is a probe: it tests the server.
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
        """Open the breaker, because the server did not answer.

        Does nothing while another thread tests the server with one request (a probe).
        """
        with self._lock:
            if self._probed_by in {None, get_ident()}:
                self._pause()

    def abandoned(self) -> None:
        """Record that this thread's request ended without showing whether the server works.

        If the request was a probe (a test of the server), allow another probe after a pause.
        """
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
