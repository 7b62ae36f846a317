"""What Prometheus reads: the meters of all web processes, and how much work is waiting now."""

import os
from collections.abc import Iterator

from django.db import DatabaseError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from forum.gateway.service import get_voting_service
from forum.models import OutboxItem
from forum.observability import metrics
from forum.operations.health import heartbeat
from voting.errors import StoreEmpty, StoreUnavailable


class Waiting(Collector):
    """What is looked up when it is asked for. What can't be known is left out."""

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges. One query and two round trips."""
        yield from _store()
        yield from _sql()
        silence = heartbeat.silence()
        if silence is not None:
            yield _gauge("rostra_worker_silence_seconds", "Since a worker was heard of.", silence)


def _store() -> Iterator[Metric]:
    up = 1
    try:
        waiting = get_voting_service().upkeep.ledger_lag()
        get_voting_service().upkeep.generation()
    except StoreEmpty:
        up = 0
    except StoreUnavailable:
        yield _gauge("rostra_redis_up", "1 where Redis answers and is filled.", 0)
        return
    yield _gauge("rostra_redis_up", "1 where Redis answers and is filled.", up)
    yield _gauge("rostra_ledger_waiting", "Votes that wait to be archived in SQL.", waiting)


def _sql() -> Iterator[Metric]:
    try:
        waiting = OutboxItem.objects.count()
    except DatabaseError:
        yield _gauge("rostra_sql_up", "1 where the SQL database answers.", 0)
        return
    yield _gauge("rostra_sql_up", "1 where the SQL database answers.", 1)
    yield _gauge("rostra_outbox_waiting", "Changes not synced to Redis yet.", waiting)


def _gauge(name: str, what: str, value: float) -> Metric:
    return GaugeMetricFamily(name, what, value=value)


def exposition() -> bytes:
    """Return all figures in Prometheus's text format."""
    waiting = CollectorRegistry()
    waiting.register(Waiting())
    return generate_latest(_counted()) + generate_latest(waiting)


def _counted() -> CollectorRegistry:
    """Return what has been counted: by all web processes, or by this one where it is alone."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return metrics.REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together
