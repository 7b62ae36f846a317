"""The rounds of the worker, as far as tests wait for them."""

from contextlib import suppress
from threading import Event

from django.db import OperationalError
from django.utils import timezone

from forum.inbox import mail_queue
from forum.models import OutboxItem
from forum.sync import outbox
from voting.errors import StoreUnavailable


def a_round_later() -> None:
    """Let the worker do what waits, as far as Redis and SQL are up: background sync and mail."""
    with suppress(StoreUnavailable, OperationalError):
        while outbox.repeat(in_background=True):
            pass
    mail_queue.send_waiting(Event())


def grow_old() -> None:
    """Let outbox rows be as old as those that the worker delivers."""
    OutboxItem.objects.update(due_at=timezone.now())


def sync_later() -> int:
    """Let the worker deliver what requests left in the outbox; return how many rows."""
    grow_old()
    return outbox.repeat()
