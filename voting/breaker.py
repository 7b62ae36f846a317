"""Stops asking a server that does not answer, so that nobody waits for it in a queue."""

from threading import Lock
from time import monotonic

PAUSE = 1.0
"""Seconds without a try after a failure."""


class Breaker:
    """Opens at the first failure; then lets one try through in every `PAUSE`, until one succeeds.

    Shared by all threads and connection pools of a process that talk to one server.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._next_try: float | None = None

    @property
    def is_open(self) -> bool:
        """Say whether the server did not answer when it was last asked."""
        return self._next_try is not None

    def allows(self) -> bool:
        """Say whether the server may be asked now; a True while open is the one try."""
        if self._next_try is None:
            return True
        with self._lock:
            now = monotonic()
            if self._next_try is not None and now < self._next_try:
                return False
            self._next_try = now + PAUSE
            return True

    def failed(self) -> None:
        """Open, or stay open: the server did not answer."""
        with self._lock:
            self._next_try = monotonic() + PAUSE

    def succeeded(self) -> None:
        """Close: the server answered."""
        if self._next_try is not None:
            with self._lock:
                self._next_try = None
