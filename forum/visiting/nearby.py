"""Spam windows in this process's own memory, for what must go on while Redis is away.

Other processes count for themselves meanwhile, so that a limit may be reached once in each.
"""

from collections import OrderedDict, deque
from math import ceil
from threading import Lock
from time import monotonic

from voting.errors import TooFast
from voting.types.limits import Pace

MOST = 10_000
"""Subjects remembered at most; who was counted longest ago is forgotten first."""


class Nearby:
    """What addresses did lately, as this process saw it. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hits: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def check(self, pace: Pace) -> None:
        """Count one hit. Raises TooFast where a window is full; then nothing is counted."""
        with self._lock:
            hits = self._hits.setdefault((pace.action, pace.subject), deque())
            now = monotonic()
            wait = max(
                hits[-window.hits] + window.seconds - now if len(hits) >= window.hits else 0
                for window in pace.windows
            )
            if wait > 0:
                raise TooFast(ceil(wait))
            hits.append(now)
            self._forget(hits, pace)

    def _forget(self, hits: deque[float], pace: Pace) -> None:
        while len(hits) > max(window.hits for window in pace.windows):
            hits.popleft()
        self._hits.move_to_end((pace.action, pace.subject))
        while len(self._hits) > MOST:
            self._hits.popitem(last=False)
