"""Work that the worker would do later, done at once."""

from contextlib import suppress
from threading import Event

from django.db import OperationalError
from django.utils import timezone

from forum.inbox import mail_queue
from forum.models import OutboxItem
from forum.sync import outbox
from voting.errors import StoreUnavailable


def run_worker() -> None:
    """Do the background sync and send waiting email, as far as Redis and SQL are up."""
    with suppress(StoreUnavailable, OperationalError):
        while outbox.repeat(in_background=True):
            pass
    mail_queue.send_waiting(Event())


def make_rows_due() -> None:
    """Make all outbox rows due, as the worker leaves new ones to the request."""
    OutboxItem.objects.update(due_at=timezone.now())


def deliver_outbox() -> int:
    """Deliver all outbox rows as the worker does; return their number."""
    make_rows_due()
    return outbox.repeat()
