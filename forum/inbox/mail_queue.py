"""Runs the queued tasks of django-tasks, which send emails, and deletes old tasks."""

import os
from datetime import timedelta
from threading import Event

from django.utils import timezone
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

KEPT = timedelta(days=7)
"""How long finished tasks stay in SQL, where the admin shows them."""


def send_waiting(stopping: Event) -> None:
    """Run the queued tasks one by one, until none are left or `stopping` is set.

    One query if no tasks are queued.
    """
    while not stopping.is_set() and DBTaskResult.objects.ready().exists():
        Worker(
            queue_names=["*"],
            interval=0,
            batch=True,
            backend_name="default",
            startup_delay=False,
            max_tasks=1,
            worker_id=f"mail-{os.getpid()}",
            excluded_queue_names=[],
        ).run()


def forget() -> None:
    """Delete tasks that finished more than a week ago. Two queries."""
    old = timezone.now() - KEPT
    DBTaskResult.objects.finished().filter(finished_at__lt=old).delete()
