"""Sends the emails that wait in the outbox, one at a time, and queues digests.

The worker records each attempt before it sends the email. If it crashes in between, this one email
counts as failed and isn't sent again, because it may have been sent. The admin lists failed emails.
"""

from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from threading import Event

import structlog
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from forum.actions.mails import WaitingMail
from forum.actions.unsubscribe_links import Mail
from forum.models import FailedMail, OutboxItem, User
from forum.store import outbox

PERIODS = {User.Digest.DAILY: timedelta(days=1), User.Digest.WEEKLY: timedelta(days=7)}
TRIES = 5
KEPT = timedelta(days=7)
"""How long failed emails stay in SQL, where the admin shows them."""
BATCH = 200
"""Maximum number of digests that one call of `enqueue_digests` queues."""

log = structlog.get_logger()


def send_waiting(stopping: Event) -> None:
    """Send the emails that are due one by one, until none are left or `stopping` is set."""
    while not stopping.is_set() and (item := _due().order_by("due_at").first()):
        if _record_attempt(item):
            _send(item)


def forget() -> None:
    """Delete emails that failed more than a week ago."""
    FailedMail.objects.filter(due_at__lte=timezone.now()).delete()


def enqueue_digests() -> int:
    """Queue the digests that are due; return how many were queued.

    Each digest is sent once, even if several workers call this at the same time.
    """
    now, due = timezone.now(), Q()
    for digest, period in PERIODS.items():
        due |= Q(digest=digest, digest_at__lte=now - period)
    people = User.objects.filter(due, is_active=True).exclude(email="")
    sent = 0
    for user_id, last in people.values_list("pk", "digest_at")[:BATCH]:
        with transaction.atomic():
            moved = User.objects.filter(pk=user_id, digest_at=last).update(digest_at=now)
            if moved and last:
                outbox.write(WaitingMail(Mail.DIGEST, user_id, since=last.isoformat()))
                sent += 1
    return sent


def _due() -> QuerySet[OutboxItem]:
    return OutboxItem.objects.filter(
        kind=WaitingMail.kind, failed_at=None, due_at__lte=timezone.now()
    )


def _record_attempt(item: OutboxItem) -> bool:
    """Count an attempt, and let the email count as failed until the attempt succeeds.

    Return False if another worker was quicker.
    """
    earlier, now = item.attempts, timezone.now()
    item.attempts, item.failed_at, item.due_at = earlier + 1, now, now + KEPT
    return bool(
        _due()
        .filter(pk=item.pk, attempts=earlier)
        .update(attempts=item.attempts, failed_at=item.failed_at, due_at=item.due_at, error="")
    )


def _send(item: OutboxItem) -> None:
    """Send an email and delete its row.

    If the mail server is unavailable, the email waits for 2, 4, 8 and 16 minutes. After the last
    attempt it stays failed. It also does if the mail server refuses its address permanently.
    """
    try:
        WaitingMail.deliver([WaitingMail(**item.details)])
    except (SMTPException, OSError, OperationalError) as error:
        if item.attempts >= TRIES or _is_final(error):
            log.warning("email not sent", reason=str(error))
        else:
            item.failed_at = None
            item.due_at = timezone.now() + timedelta(minutes=2**item.attempts)
        _save(item, error)
    except Exception as error:
        log.exception("email not sent", item=item.pk)
        _save(item, error)
    else:
        item.delete()


def _save(item: OutboxItem, error: Exception) -> None:
    item.error = f"{type(error).__name__}: {error}"
    item.save(update_fields=["failed_at", "due_at", "error"])


def _is_final(error: Exception) -> bool:
    """Return whether the mail server refused an address permanently (5xx)."""
    if not isinstance(error, SMTPRecipientsRefused):
        return False
    return any(code >= 500 for code, _reason in error.recipients.values())
