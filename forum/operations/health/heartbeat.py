"""The worker's heartbeat, which web processes see through the cache."""

from time import time

from django.core.cache import cache

KEY = "worker-heard"
REMEMBERED = 7 * 86_400
"""Seconds for which the last heartbeat is known."""


def beat() -> None:
    """Record that a worker is running. One round trip; without the cache nobody sees it."""
    cache.set(KEY, time(), REMEMBERED)


def silence() -> float | None:
    """Return the seconds since the last heartbeat; None if there is none. One round trip."""
    beaten_at = cache.get(KEY)
    return None if beaten_at is None else max(0.0, time() - beaten_at)
