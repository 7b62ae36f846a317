"""manage.py worker: the work beside the pages; `up` runs one."""

import signal
from threading import Event, Thread
from typing import Any

from django.core.management.base import BaseCommand

from forum.operations import worker
from forum.operations.supervision import parent_watch


class Command(BaseCommand):
    """Archives votes, repeats the outbox and refills an emptied Redis, until told to stop."""

    help = "Archive votes, repeat undelivered posts and refill an emptied Redis until stopped."
    requires_system_checks: tuple[str, ...] = ()  # they load every page, of which it has none

    def handle(self, *args: Any, **options: Any) -> None:
        """Work until SIGINT or SIGTERM."""
        stopping = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            # In a thread: a signal may come while this one holds the event's own lock.
            signal.signal(number, lambda *_: Thread(target=stopping.set).start())
        parent_watch.stop_with_parent()
        worker.run(stopping)
