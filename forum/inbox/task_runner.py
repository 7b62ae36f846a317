"""The worker's thread that does waiting tasks, errands before mail.

A slow mail server delays mail, an errand by one mail at the most, and nothing else.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Event
from time import monotonic

import structlog
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection
from django.db.models import Q
from django.utils import timezone
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from forum.inbox import mail_tasks
from forum.observability import throttled_log
from forum.sync import tasks

PAUSE = 1.0
"""Seconds between two looks, also after a failure."""
AGAIN_SECONDS = 10.0
DIGEST_SECONDS = 60.0
FORGET_SECONDS = 3_600.0
"""How often tasks that were done long ago are looked for, which reads all that are kept."""
KEPT = timedelta(days=7)
"""How long the admin can see what became of mail, and of an errand that failed."""

log = structlog.get_logger()


@dataclass
class Duty:
    """What is to be done again and again, failed or not, with at least so many seconds between."""

    name: str
    step: Callable[[], object]
    every: float = 0.0
    due_at: float = 0.0

    def see_to(self) -> None:
        """Do it where it is due. Whatever fails, the thread lives on and does the others."""
        if monotonic() < self.due_at:
            return
        self.due_at = monotonic() + self.every
        try:
            self.step()
        except DatabaseError as error:
            throttled_log.tell("SQL is away", error)
            connection.close()
        except Exception:
            log.exception("what waits can't be done", duty=self.name)
            connection.close()
        close_old_connections()


def run(stopping: Event) -> None:
    """Do what waits until `stopping` is set. Failures are waited out."""
    duties = (
        Duty("digests", mail_tasks.enqueue_digests, DIGEST_SECONDS),
        Duty("errands begun again", tasks.begin_again, AGAIN_SECONDS),
        Duty("forgetting", forget, FORGET_SECONDS),
        Duty("tasks", partial(do_waiting, stopping)),
    )
    while not stopping.wait(PAUSE):
        for duty in duties:
            duty.see_to()
    connection.close()


def do_waiting(stopping: Event) -> None:
    """Do the tasks that wait, one after the other, until `stopping` is set. One query for none."""
    while not stopping.is_set() and DBTaskResult.objects.ready().exists():
        Worker(
            queue_names=["*"],
            interval=0,
            batch=True,
            backend_name="default",
            startup_delay=False,
            max_tasks=1,
            worker_id=f"postman-{os.getpid()}",
            excluded_queue_names=[],
        ).run()


def forget() -> None:
    """Delete tasks that were done long ago, and errands that were done. Two queries."""
    old = Q(finished_at__lt=timezone.now() - KEPT)
    errand = Q(queue_name=tasks.QUEUE, status="SUCCESSFUL")
    DBTaskResult.objects.finished().filter(old | errand).delete()
