"""Metrics for Prometheus: their values, and who may read them."""

import os
import re
from collections.abc import Callable
from time import process_time, time
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from forum.operations.health import heartbeat, process_usage
from forum.operations.supervision.bootstrap import BASE
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.factories import make_older, person, post, reader
from tests.forum.outages import redis_down
from tests.ports import free_port
from tests.voting.servers import Server
from tests.waiting import until
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed
from voting.types import Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(text: str) -> Figures:
    """Parse a text in Prometheus's format; map each metric's name and labels to its value."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figures() -> Figures:
    """Request the site's metrics as a client on the same machine, and return the parsed metrics."""
    answer = reader().get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    return read(answer.content.decode())


def figure(found: Figures, name: str, **labels: str) -> float:
    """Return a metric's value, or 0 if the metric is missing."""
    return found.get((name, frozenset(labels.items())), 0.0)


def growth(before: Figures) -> Callable[..., float]:
    """Return a function that returns how much a metric has grown since the figures `before`."""
    after = figures()
    return lambda name, **labels: figure(after, name, **labels) - figure(before, name, **labels)


def base_name(name: str) -> str:
    """Return the name of the metric that has a sample of this name."""
    return re.sub("_(count|bucket)$", "", name)


def test_requests_are_counted_and_timed_by_view_and_status() -> None:
    before = figures()
    for path in ("/about", "/about", "/nowhere", "/p/77", "/static/site.css"):
        reader().get(path)
    grown = growth(before)
    count, about = "rostra_request_seconds_count", {"view": "about", "status": "200"}
    assert grown(count, **about) == 2
    assert grown("rostra_request_seconds_sum", **about) > 0
    assert grown("rostra_request_seconds_bucket", **about, le="+Inf") == 2
    assert grown(count, view="none", status="404") == 1
    assert grown(count, view="post_short", status="404") == 1


def test_votes_are_counted_by_outcome(redis: Any, settings: Any) -> None:
    written, before = post(person("ada")), figures()
    target = Target(written.pk)
    for vote in (Vote.UP, Vote.UP, Vote.DOWN):
        get_voting_service().votes.cast(900_501, target, vote)
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(900_501, Target(written.pk + 1_000), Vote.UP)
    make_older(redis, written, days=8)
    with pytest.raises(VotingClosed):
        get_voting_service().votes.cast(900_501, target, Vote.UP)
    with redis_down(settings), pytest.raises(StoreUnavailable):
        get_voting_service().votes.cast(900_501, target, Vote.UP)
    outcomes = {"counted": 2, "unchanged": 1, "unknown": 1, "closed": 1, "unavailable": 1}
    grown = growth(before)
    for outcome, number in outcomes.items():
        assert grown("rostra_votes_total", outcome=outcome) == number, outcome


def test_round_trips_are_timed_by_script() -> None:
    before = figures()
    reader().get("/new")
    grown = growth(before)
    assert grown("rostra_script_seconds_count", script="listing") == 1
    assert grown("rostra_script_seconds_sum", script="listing") > 0


def test_breaker_is_open_from_a_failed_round_trip_to_the_next_good_one(server: Server) -> None:
    reader().get("/new")
    assert figure(figures(), "rostra_breaker_open") == 0
    server.kill()
    reader().get("/new")
    found = figures()
    assert figure(found, "rostra_breaker_open") == 1
    assert figure(found, "rostra_redis_up") == 0
    assert figure(found, "rostra_script_failures_total", script="listing") >= 1
    server.start()
    until(
        lambda: get_voting_service().listings.page(Order.NEW, 1).number, "the server is asked again"
    )
    assert figure(figures(), "rostra_breaker_open") == 0


def test_backlog_is_looked_up() -> None:
    written = post(person("ada"))
    outbox.write(PostSync(written.pk))
    with patch("forum.operations.health.heartbeat.time", return_value=time()) as now:
        heartbeat.beat()
        now.return_value += 3
        found = figures()
    assert figure(found, "rostra_ledger_waiting") == 1, "the author's own vote"
    assert figure(found, "rostra_outbox_waiting") == 2, "and Ada's counters"
    assert figure(found, "rostra_mail_waiting") == figure(found, "rostra_mail_failed") == 0
    assert figure(found, "rostra_worker_silence_seconds") == pytest.approx(3)
    assert figure(found, "rostra_redis_up") == figure(found, "rostra_sql_up") == 1


def test_memory_and_cpu_of_web_process_and_worker_are_reported() -> None:
    cache.clear()
    before = figures()
    assert not [name for name, labels in before if ("kind", "worker") in labels]
    heartbeat.beat()
    grown = figures()
    name = process_usage.name_of(os.getpid())
    memory, cpu = "rostra_process_resident_memory_bytes", "rostra_process_cpu_seconds_total"
    for kind in ("web", "worker"):
        assert figure(grown, memory, kind=kind, process=name) > 10 << 20, kind
        assert 0 < figure(grown, cpu, kind=kind, process=name) <= process_time() + 0.01, kind


def test_each_of_two_workers_is_reported_until_a_minute_after_it_ended() -> None:
    cache.clear()
    with patch("forum.operations.health.heartbeat.time", return_value=time()) as now:
        heartbeat.beat()
        with patch("os.getpid", return_value=os.getppid()):
            heartbeat.beat()
        now.return_value += 40
        heartbeat.beat()
        assert len(heartbeat.running()) == 2
        now.return_value += 40
        assert list(heartbeat.running()) == [process_usage.name_of(os.getpid())]


def test_missing_parts_are_reported_as_in_readyz() -> None:
    cache.clear()
    assert figure(figures(), "rostra_missing", part="worker") == 1
    heartbeat.beat()
    assert figure(figures(), "rostra_missing", part="worker") == 0


def test_account_emails_that_can_not_be_sent_are_counted(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    before = figures()
    reader().post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert growth(before)("rostra_account_mail_failures_total") == 1


def test_alarm_rules_name_only_metrics_that_exist() -> None:
    heartbeat.beat()
    reader().get("/new")
    rules = (BASE / "deploy" / "prometheus" / "rules.yml").read_text()
    names = set(re.findall(r"rostra_\w+", rules))
    page = reader().get("/metrics").content.decode()
    assert len(names) > 8
    assert not [name for name in names if f"# TYPE {base_name(name)} " not in page]


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("192.0.2.1", {}),
        ("::ffff:192.0.2.1", {}),
        ("", {}),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}),
    ],
)
def test_strangers_and_proxied_requests_get_no_metrics(
    address: str, headers: dict[str, str]
) -> None:
    answer = Client(REMOTE_ADDR=address).get("/metrics", headers=headers)
    assert answer.status_code == 403
    assert b"rostra_" not in answer.content


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_reads_metrics_by_any_loopback_address(address: str) -> None:
    assert Client(REMOTE_ADDR=address).get("/metrics").status_code == 200


def test_token_allows_reading_metrics_from_anywhere(settings: Any) -> None:
    settings.METRICS_TOKEN = "a long enough token"
    stranger = Client(REMOTE_ADDR="192.0.2.1")
    right = {"Authorization": "Bearer a long enough token"}
    assert stranger.get("/metrics", headers=right).status_code == 200
    for wrong in ({}, {"Authorization": "Bearer né"}, {"Authorization": "a long enough token"}):
        assert reader().get("/metrics", headers=wrong).status_code == 403
