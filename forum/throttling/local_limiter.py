"""Rate limits counted in this process's memory, for actions that must stay possible without Redis.

Each process counts for itself, so several processes together may allow a multiple of a limit.
"""

from collections import OrderedDict, deque
from math import ceil
from threading import Lock
from time import monotonic

from forum.throttling.errors import Throttled
from voting.types.limits import Pace

MOST = 10_000
"""Subjects remembered at most; the one that acted longest ago is dropped first."""


class LocalLimiter:
    """Sliding windows of subjects and actions. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hits: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def check(self, pace: Pace) -> None:
        """Count one hit. Raises Throttled if a window is full; then nothing is counted."""
        with self._lock:
            hits = self._hits.setdefault((pace.action, pace.subject), deque())
            now = monotonic()
            wait = max(
                hits[-window.hits] + window.seconds - now if len(hits) >= window.hits else 0
                for window in pace.windows
            )
            if wait > 0:
                raise Throttled(ceil(wait))
            hits.append(now)
            self._drop_old(hits, pace)

    def _drop_old(self, hits: deque[float], pace: Pace) -> None:
        while len(hits) > max(window.hits for window in pace.windows):
            hits.popleft()
        self._hits.move_to_end((pace.action, pace.subject))
        while len(self._hits) > MOST:
            self._hits.popitem(last=False)
