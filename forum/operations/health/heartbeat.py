"""The workers' heartbeats. Each worker writes them to the cache, and web processes read them."""

import os
from time import time
from typing import NamedTuple

from django.core.cache import cache

from forum.operations.health import process_usage
from forum.operations.health.process_usage import Usage

KEY = "workers-heard"
REMEMBERED = 7 * 86_400
"""Seconds for which the cache keeps the last heartbeat."""
RUNNING = 60.0
"""After this many seconds without a heartbeat, a worker counts as ended."""


class Heartbeat(NamedTuple):
    """A worker's last heartbeat."""

    beaten_at: float
    usage: Usage | None


def beat() -> None:
    """Record that this worker is running, and what it uses. Does nothing if the cache is down.

    If two workers write at the same moment, one heartbeat is lost. The next comes in a second.
    """
    pid = os.getpid()
    own = {process_usage.name_of(pid): Heartbeat(time(), process_usage.of(pid))}
    cache.set(KEY, running() | own, REMEMBERED)


def running() -> dict[str, Heartbeat]:
    """Return the last heartbeat of each running worker, by the name of its process."""
    now = time()
    return {name: last for name, last in _workers().items() if abs(now - last.beaten_at) <= RUNNING}


def silence() -> float | None:
    """Return the seconds since the last heartbeat of any worker; None if unknown."""
    beats = [last.beaten_at for last in _workers().values()]
    return max(0.0, time() - max(beats)) if beats else None


def _workers() -> dict[str, Heartbeat]:
    workers: dict[str, Heartbeat] = cache.get(KEY, {})
    return workers
