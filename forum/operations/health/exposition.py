"""Metrics for Prometheus: counters of all web processes, and how much work is waiting."""

import os
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from forum.config import metrics
from forum.models import FailedMail, OutboxItem
from forum.operations.health import heartbeat, process_usage, readiness
from forum.operations.health.process_usage import Usage
from forum.store.service import get_voting_service
from voting.errors import StoreEmpty, StoreUnavailable


class Backlog(Collector):
    """Gauges of waiting work, measured whenever Prometheus reads the metrics.

    Leaves out gauges whose value can't be read.
    """

    def collect(self) -> Iterator[Metric]:
        """Yield gauges that show what is down, and how much work waits for the worker."""
        yield _gauge("rostra_read_only", "1 if READ_ONLY=1.", settings.READ_ONLY)
        yield from _redis()
        yield from _sql()
        silence = heartbeat.silence()
        if silence is not None:
            yield _gauge("rostra_worker_silence_seconds", "Since a worker's heartbeat.", silence)
        parts = GaugeMetricFamily("rostra_missing", "1 for a part in /readyz.", labels=["part"])
        for part in readiness.missing():
            parts.add_metric([part], 1)
        yield parts


class Processes(Collector):
    """Memory and CPU time of this machine's web processes, and of all workers."""

    def collect(self) -> Iterator[Metric]:
        """Yield the usage of each process. Leaves out processes that have ended."""
        labels = ("kind", "process")
        memory = GaugeMetricFamily(
            "rostra_process_resident_memory_bytes", "Memory of a process.", labels=labels
        )
        cpu = CounterMetricFamily(
            "rostra_process_cpu_seconds", "CPU time of a process since its start.", labels=labels
        )
        for kind, process, usage in _usages():
            memory.add_metric([kind, process], usage.resident_bytes)
            cpu.add_metric([kind, process], usage.cpu_seconds)
        yield memory
        yield cpu


def _usages() -> Iterator[tuple[str, str, Usage]]:
    for process, usage in process_usage.of_web_processes():
        yield "web", process, usage
    for process, last in heartbeat.running().items():
        if last.usage is not None:
            yield "worker", process, last.usage


def _redis() -> Iterator[Metric]:
    up, waiting = 1, None
    try:
        waiting = get_voting_service().maintenance.ledger.lag()
        get_voting_service().maintenance.generations.current()
    except StoreUnavailable as error:
        up = 0
        waiting = waiting if isinstance(error, StoreEmpty) else None
    yield _gauge("rostra_redis_up", "1 if Redis is up and filled.", up)
    if waiting is not None:
        yield _gauge("rostra_ledger_waiting", "Votes that aren't archived in SQL yet.", waiting)


def _sql() -> Iterator[Metric]:
    try:
        waiting = OutboxItem.objects.exclude(kind=OutboxItem.MAIL).count()
        mails = OutboxItem.objects.filter(kind=OutboxItem.MAIL, failed_at=None).count()
        failed = FailedMail.objects.count()
    except DatabaseError:
        yield _gauge("rostra_sql_up", "1 if the SQL database is up.", 0)
        return
    yield _gauge("rostra_sql_up", "1 if the SQL database is up.", 1)
    yield _gauge("rostra_outbox_waiting", "Changes that aren't synced to Redis yet.", waiting)
    yield _gauge("rostra_mail_waiting", "Emails that aren't sent yet.", mails)
    yield _gauge("rostra_mail_failed", "Emails that failed in the last seven days.", failed)


def _gauge(name: str, what: str, value: float) -> Metric:
    return GaugeMetricFamily(name, what, value=value)


def exposition() -> bytes:
    """Return all metrics in Prometheus's text format."""
    now = CollectorRegistry()
    now.register(Backlog())
    now.register(Processes())
    return generate_latest(_process_metrics()) + generate_latest(now)


def _process_metrics() -> CollectorRegistry:
    """Return the metrics of all web processes.

    If PROMETHEUS_MULTIPROC_DIR isn't set, returns only the metrics of this process.
    """
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return metrics.REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return shared
