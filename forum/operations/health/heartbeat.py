"""The worker's heartbeat. The worker writes it to the cache, and web processes read it."""

from time import time

from django.core.cache import cache

KEY = "worker-heard"
REMEMBERED = 7 * 86_400
"""Seconds for which the cache keeps the last heartbeat."""


def beat() -> None:
    """Record that a worker is running. Does nothing if the cache is down."""
    cache.set(KEY, time(), REMEMBERED)


def silence() -> float | None:
    """Return the seconds since the worker's last heartbeat; None if unknown."""
    beaten_at = cache.get(KEY)
    return None if beaten_at is None else max(0.0, time() - beaten_at)
