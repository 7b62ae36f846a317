"""The worker's scheduler runs jobs again after outages and failures."""

from collections.abc import Callable
from threading import Event

import pytest
from django.db import OperationalError

from forum.operations.scheduler import Job, Scheduler
from voting.errors import StoreEmpty, StoreUnavailable

pytestmark = pytest.mark.django_db


class Steps:
    """A job that counts its runs.

    Each run raises the next exception in `failures`; if `failures` has None instead, the run
    succeeds. The last run stops the worker.
    """

    def __init__(self, stopping: Event, *failures: Exception | None) -> None:
        self._stopping = stopping
        self._failures = list(failures)
        self.taken = 0

    def __call__(self) -> None:
        self.taken += 1
        failure = self._failures.pop(0)
        if not self._failures:
            self._stopping.set()
        if failure:
            raise failure


def scheduler(stopping: Event, refill: Callable[[], object] = bool) -> Scheduler:
    return Scheduler(stopping, refill=refill)


def test_failed_job_is_retried_while_redis_or_sql_is_down() -> None:
    stopping = Event()
    outages = (StoreUnavailable("no reply"), OperationalError("starting"))
    hourly = Steps(stopping, *outages, None)
    scheduler(stopping).run(Job("hourly", hourly, every=3_600.0))
    assert hourly.taken == 3


def test_broken_job_waits_for_its_next_time_and_others_run() -> None:
    stopping = Event()
    broken, works = Steps(Event(), ValueError("a bug"), None), Steps(stopping, None, None, None)
    scheduler(stopping).run(Job("broken", broken, every=3_600.0), Job("works", works))
    assert (broken.taken, works.taken) == (1, 3)


def test_empty_redis_is_filled() -> None:
    stopping, filled = Event(), Event()
    step = Steps(stopping, StoreEmpty("empty"), None)
    scheduler(stopping, filled.set).run(Job("step", step))
    assert filled.is_set()
