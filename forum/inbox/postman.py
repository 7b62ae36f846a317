"""The worker's thread that does waiting tasks: a slow mail server delays mail and nothing else."""

import os
from datetime import timedelta
from threading import Event
from time import monotonic

import structlog
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection
from django.utils import timezone
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from forum.inbox import mail_tasks

PAUSE = 1.0
"""Seconds between two looks."""
DIGEST_SECONDS = 60.0
FORGET_SECONDS = 3_600.0
"""How often tasks that were done long ago are looked for, which reads all that are kept."""
KEPT = timedelta(days=7)
"""How long the admin can see what became of a task."""

log = structlog.get_logger()


def run(stopping: Event) -> None:
    """Do what waits until `stopping` is set. Failures of SQL are waited out."""
    digests_at = forgotten_at = 0.0
    while not stopping.wait(PAUSE):
        try:
            if monotonic() >= digests_at:
                mail_tasks.enqueue_digests()
                digests_at = monotonic() + DIGEST_SECONDS
            if monotonic() >= forgotten_at:
                done = DBTaskResult.objects.finished()
                done.filter(finished_at__lt=timezone.now() - KEPT).delete()
                forgotten_at = monotonic() + FORGET_SECONDS
            do_waiting(stopping)
        except DatabaseError as error:
            log.warning("SQL is away", reason=str(error))
            connection.close()
        close_old_connections()
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
