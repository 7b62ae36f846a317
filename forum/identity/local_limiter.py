"""Rate limits in this process's memory, for actions that stay possible while Redis is unavailable.

Each process counts separately, so a site with several processes may allow more than a limit says.
`forum.identity.limits_cache` also stores the counts of the accounts library (django-allauth) here.
"""

from math import ceil
from threading import Lock
from time import monotonic

from django.core.cache.backends.locmem import LocMemCache

from voting.errors import Throttled
from voting.types.limits import RateLimit

MOST = 10_000
"""Maximum number of counts in memory. After that, the least recently used counts are dropped."""

memory = LocMemCache("limits", {"MAX_ENTRIES": MOST})
_lock = Lock()


def check(limit: RateLimit) -> None:
    """Count an action for its rate limit.

    Raises Throttled, and counts nothing, if the maximum for one of the limit's time windows is
    reached.
    """
    key = f"{limit.action}:{limit.subject}"
    with _lock:
        hits, now = memory.get(key, []), monotonic()
        wait = max(
            hits[-window.hits] + window.seconds - now if len(hits) >= window.hits else 0
            for window in limit.windows
        )
        if wait > 0:
            raise Throttled(ceil(wait))
        most = max(window.hits for window in limit.windows)
        longest = max(window.seconds for window in limit.windows)
        memory.set(key, [*hits, now][-most:], timeout=longest)
