"""Metrics for Prometheus.

Web processes share files in the directory PROMETHEUS_MULTIPROC_DIR, so each can report the metrics
of all web processes. A process without this directory reports only its own metrics.
"""

from functools import cache

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # only process start times

REGISTRY = CollectorRegistry()
"""The metrics of this process, which are reported directly if processes share no files."""

REQUESTS = Histogram(
    "rostra_request_seconds",
    "Duration of requests, by view and status.",
    ("view", "status"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
    registry=REGISTRY,
)
VOTES = Counter(
    "rostra_votes",
    "Votes by outcome.",
    ("outcome",),
    registry=REGISTRY,
)
SCRIPTS = Histogram(
    "rostra_script_seconds",
    "Duration of round trips to Redis, by the first script or command.",
    ("script",),
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0),
    registry=REGISTRY,
)
FAILURES = Counter(
    "rostra_script_failures",
    "Failed round trips to Redis, by the first script or command.",
    ("script",),
    registry=REGISTRY,
)
BREAKER = Gauge(
    "rostra_breaker_open",
    "1 while a process sends nothing to Redis because it is down.",
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
ACCOUNT_MAIL_FAILURES = Counter(
    "rostra_account_mail_failures",
    "Emails about accounts that could not be sent.",
    registry=REGISTRY,
)

_requests = cache(REQUESTS.labels)
_votes = cache(VOTES.labels)
_scripts = cache(SCRIPTS.labels)
"""Return the metric with the given labels. Cached, because `SCRIPTS.labels` takes a lock.

The cache stays small, because there are few combinations of labels.
"""


def request(view: str, status: int, seconds: float) -> None:
    """Count a request by view and status, and record its duration."""
    _requests(view, status).observe(seconds)


def vote(outcome: str) -> None:
    """Count a vote by its outcome: counted, unchanged, closed, unknown, too_fast or unavailable."""
    _votes(outcome).inc()


def trip(script: str, seconds: float, *, failed: bool) -> None:
    """Record the duration of a round trip to Redis, and whether it failed.

    `script` is the first script or command of the round trip.
    """
    _scripts(script).observe(seconds)
    if failed:
        FAILURES.labels(script).inc()


def breaker(is_open: bool) -> None:
    """Record whether this process's breaker is open. While it is open, nothing is sent to Redis."""
    BREAKER.set(is_open)


def account_mail_failed() -> None:
    """Count an email about an account that could not be sent."""
    ACCOUNT_MAIL_FAILURES.inc()
