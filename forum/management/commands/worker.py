"""manage.py worker: do background work. `up` starts one worker."""

import signal
from threading import Event, Thread
from typing import Any

from forum.management.base import SiteCommand
from forum.operations import worker
from forum.operations.supervision import parent_watch


class Command(SiteCommand):
    """Archive votes, deliver the outbox, send mail and fill an empty Redis, until stopped."""

    help = "Archive votes, deliver the outbox, send mail and refill an empty Redis, until stopped."
    requires_system_checks: tuple[str, ...] = ()  # checks load all pages, which is slow

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker until SIGINT or SIGTERM."""
        stopping = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            # Use another thread: a signal may arrive while this thread holds the event's lock.
            signal.signal(number, lambda *_: Thread(target=stopping.set).start())
        parent_watch.stop_with_parent()
        worker.run(stopping)
