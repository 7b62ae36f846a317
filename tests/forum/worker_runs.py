"""The worker's later work, done at once."""

from contextlib import suppress
from threading import Event

from django.db import OperationalError
from django.utils import timezone

from forum.inbox import mail_queue
from forum.models import OutboxItem
from forum.sync import outbox
from voting.errors import StoreUnavailable


def run_worker() -> None:
    """Sync what the worker syncs in the background, and send email, if Redis and SQL are up."""
    with suppress(StoreUnavailable, OperationalError):
        while outbox.repeat(in_background=True):
            pass
    mail_queue.send_waiting(Event())


def make_rows_due() -> None:
    """Make all outbox rows due now.

    The worker first leaves new rows to the request that wrote them.
    """
    OutboxItem.objects.update(due_at=timezone.now())


def deliver_outbox() -> int:
    """Sync all outbox rows, as the worker does; return their number."""
    make_rows_due()
    return outbox.repeat()
