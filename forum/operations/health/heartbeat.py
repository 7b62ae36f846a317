"""The worker's sign of life, which web processes hear through the cache."""

from time import time

from django.core.cache import cache

KEY = "worker-heard"
REMEMBERED = 7 * 86_400
"""Seconds for which a silent worker's last word is known."""


def beat() -> None:
    """Say that a worker works. One round trip; without the cache nobody hears it."""
    cache.set(KEY, time(), REMEMBERED)


def silence() -> float | None:
    """Return the seconds since a worker was heard; None where none was. One round trip."""
    heard = cache.get(KEY)
    return None if heard is None else max(0.0, time() - heard)
