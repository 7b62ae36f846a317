"""The worker's scheduler: repeats jobs, and waits while Redis or SQL is down.

`Scheduler.run` does its jobs one after another. Slow jobs run in their own thread, so that they
don't delay other jobs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from time import monotonic

import structlog
from django.db import OperationalError, close_old_connections, connection

from voting.errors import StoreEmpty, StoreUnavailable

PAUSE = 0.5
"""Seconds to wait after a failure."""
INTERVAL = 60.0
"""How many seconds pass at least between two log lines about the same event."""

log = structlog.get_logger()
_logged_at: dict[str, float] = {}

Step = Callable[[], object]


def warn(event: str, error: Exception) -> None:
    """Log an event and its error, unless the event was logged within the last minute."""
    now = monotonic()
    if now >= _logged_at.get(event, now - INTERVAL) + INTERVAL:
        _logged_at[event] = now
        log.warning(event, reason=str(error))


@dataclass
class Job:
    """Work that the scheduler repeats."""

    name: str
    step: Step
    every: float = 0.0
    """Seconds from the start of one run to the next.

    If Redis or SQL was down, the job runs again at once.
    """
    due_at: float = field(default=0.0, init=False)


@dataclass(frozen=True)
class Scheduler:
    """Repeats jobs until the worker stops."""

    stopping: Event
    refill: Step
    """Function that fills Redis from SQL. It is called if a job finds Redis empty."""

    def run(self, *jobs: Job, pause: float = 0.0) -> None:
        """Do each job when it is due, until the worker stops.

        After each round, wait `pause` seconds.
        """
        while not self.stopping.wait(pause):
            for job in jobs:
                if monotonic() >= job.due_at and not self.stopping.is_set():
                    job.due_at = monotonic() + job.every
                    if not self.attempt(job.step, job.name):
                        job.due_at = 0.0
        connection.close()

    def until_done(self, step: Step, name: str, between: Step) -> None:
        """Call `step`. While it fails because Redis or SQL is down, call it again.

        Calls `between` before each repetition. Gives up if the worker stops.
        """
        while not self.attempt(step, name) and not self.stopping.is_set():
            between()

    def attempt(self, step: Step, name: str) -> bool:
        """Call `step` once. Return False if it failed because Redis or SQL is down.

        If it failed for another reason, log the error and return True.
        """
        up = False
        try:
            self._take(step)
        except StoreUnavailable as error:
            warn("Redis is unavailable", error)
        except OperationalError as error:
            warn("SQL is unavailable", error)
            connection.close()
        except Exception:
            log.exception("a job of the worker failed", job=name)
            connection.close()
            up = True
        else:
            close_old_connections()
            return True
        self.stopping.wait(PAUSE)
        return up

    def _take(self, step: Step) -> None:
        try:
            step()
        except StoreEmpty:
            self.refill()
