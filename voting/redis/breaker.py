"""Stops asking a server that does not answer, so that nobody waits for it in a queue."""

from threading import Lock, get_ident
from time import monotonic

PAUSE = 1.0
"""Seconds without a try after a failure."""


class Breaker:
    """Opens at the first failure; then lets one try through in every `PAUSE`, until one succeeds.

    Shared by all threads and connection pools of a process that talk to one server.
    """

    def __init__(self, longest: float = PAUSE) -> None:
        """`longest`: seconds after a try began in which there is no other, unless it has ended."""
        self._longest = longest
        self._lock = Lock()
        self._next_try: float | None = None
        self._tried_by: int | None = None

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
            self._next_try = now + self._longest
            self._tried_by = get_ident()
            return True

    def failed(self) -> None:
        """Open, or stay open: the server did not answer. A failure of what began before the try
        does not end it.
        """
        with self._lock:
            if self._tried_by in {None, get_ident()}:
                self._pause()

    def given_up(self) -> None:
        """End this thread's try, if it has one, that came to nothing."""
        if self._tried_by is not None:
            with self._lock:
                if self._tried_by == get_ident():
                    self._pause()

    def succeeded(self) -> None:
        """Close: the server answered."""
        if self._next_try is not None:
            with self._lock:
                self._next_try = self._tried_by = None

    def _pause(self) -> None:
        self._next_try, self._tried_by = monotonic() + PAUSE, None
