"""manage.py worker: do background work. `up` starts one worker."""

import signal
from threading import Event, Thread
from types import FrameType
from typing import Any

import structlog

from forum.config.environment import summary
from forum.management.base import SiteCommand
from forum.operations import worker
from forum.operations.supervision import parent_watch

log = structlog.get_logger()


class Command(SiteCommand):
    """Archive votes, deliver the outbox, send mail and fill an empty Redis, until stopped."""

    help = "Archive votes, deliver the outbox, send mail and refill an empty Redis, until stopped."
    requires_system_checks: tuple[str, ...] = ()  # checks load all pages, which is slow

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the worker until SIGINT or SIGTERM."""
        stopping, reasons = Event(), list[str]()

        def stop(number: int, _frame: FrameType | None) -> None:
            reasons.append(signal.Signals(number).name)
            # Use another thread: a signal may arrive while this thread holds the event's lock.
            Thread(target=stopping.set).start()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        parent_watch.stop_with_parent()
        log.info("worker started", **summary())
        try:
            worker.run(stopping)
        finally:
            log.info("worker stopped", reason=" ".join(reasons) or "error")
