"""Metrics for Prometheus.

The web processes share a directory of files (PROMETHEUS_MULTIPROC_DIR), so that any of them can
report the numbers of all. A process without that directory reports its own numbers.
"""

from functools import cache

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # they say when a process began

REGISTRY = CollectorRegistry()
"""What is counted here; read directly only where no files are shared."""

REQUESTS = Histogram(
    "rostra_request_seconds",
    "Requests by view and status, and how long they took.",
    ("view", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
    registry=REGISTRY,
)
VOTES = Counter(
    "rostra_votes",
    "Votes by what became of them.",
    ("outcome",),
    registry=REGISTRY,
)
SCRIPTS = Histogram(
    "rostra_script_seconds",
    "Trips to Redis, by the first script or command, and how long they took.",
    ("script",),
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0),
    registry=REGISTRY,
)
FAILURES = Counter(
    "rostra_script_failures",
    "Trips to Redis that failed, by the first script or command.",
    ("script",),
    registry=REGISTRY,
)
BREAKER = Gauge(
    "rostra_breaker_open",
    "1 while a process does not ask Redis because it did not answer.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)

_requests = cache(REQUESTS.labels)
_votes = cache(VOTES.labels)
_scripts = cache(SCRIPTS.labels)
"""The library looks a meter up under a lock, which costs more than counting; there are few."""


def request(view: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    _requests(view, status).observe(seconds)


def vote(outcome: str) -> None:
    """Count a vote: counted, unchanged, closed, unknown, too_fast or unavailable."""
    _votes(outcome).inc()


def trip(script: str, seconds: float, *, failed: bool) -> None:
    """Count a trip to Redis by the first script or command it ran."""
    _scripts(script).observe(seconds)
    if failed:
        FAILURES.labels(script).inc()


def breaker(is_open: bool) -> None:
    """Say whether this process asks Redis at all."""
    BREAKER.set(is_open)
