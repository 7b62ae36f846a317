"""Mail as tasks: written into SQL together with their reason, done by the worker.

A task that a mail server's absence breaks is put back for later, a few times. One that a crash
breaks after it began is not begun again: rather no mail than two.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_tasks import task
from django_tasks.base import Task

from forum.inbox import mailing
from forum.inbox.unsubscribing import Mail
from forum.models import Comment, InboxItem, User
from forum.queries.listings import listing
from forum.records import cards
from voting.types import Order, Row

PERIODS = {User.Digest.DAILY: timedelta(days=1), User.Digest.WEEKLY: timedelta(days=7)}
ORDERS = {User.Digest.DAILY: Order.TOP_DAY, User.Digest.WEEKLY: Order.TOP_WEEK}
ITEMS, POSTS = 20, 10
"""Inbox items and posts in a digest, at the most."""
TRIES = 5
BATCH = 200
"""Digests put in the queue at once."""


@task()
def send_reply(user_id: int, comment_id: int, tries: int = 1) -> None:
    """Mail a person a reply, unless it or its post was deleted or they want no mail any more."""
    person = User.objects.filter(pk=user_id, is_active=True, mails_replies=True).first()
    comment = Comment.objects.select_related("author", "post").filter(pk=comment_id).first()
    if not person or not person.email or not comment:
        return
    if comment.deleted_at or comment.post.deleted_at:
        return
    _send_or_retry(
        send_reply,
        tries,
        (user_id, comment_id),
        person,
        Mail.REPLIES,
        "reply",
        {"comment": comment},
    )


@task()
def send_digest(user_id: int, since: str, tries: int = 1) -> None:
    """Mail a person what is unread since a time (ISO 8601) and the period's best posts.

    Nothing goes out where there is neither.
    """
    person = User.objects.filter(pk=user_id, is_active=True).first()
    if not person or not person.email or person.digest == User.Digest.NONE:
        return
    items = InboxItem.objects.select_related("actor", "post", "comment__post").filter(
        user=person, read_at=None, created_at__gt=datetime.fromisoformat(since)
    )
    items = items.filter(comment__deleted_at=None, post__deleted_at=None)
    rows = listing(ORDERS[User.Digest(person.digest)], 1).page.rows[:POSTS]
    shown = {"items": list(items.order_by("-pk")[:ITEMS]), "posts": _posts(rows)}
    if any(shown.values()):
        _send_or_retry(send_digest, tries, (user_id, since), person, Mail.DIGEST, "digest", shown)


def enqueue_digests() -> int:
    """Put the digests that are due in the queue; return how many.

    A person's time moves in the transaction that writes the task, and only from where it was
    read: however many workers do this at once, each digest is sent once. One query where none
    is due, three for each that is.
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
                send_digest.enqueue(user_id, last.isoformat())
                sent += 1
    return sent


def _posts(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{"id": row.id, "points": row.points, "card": cards.unpack(row.card)} for row in rows]


def _send_or_retry(
    again: Task[Any, Any],
    tries: int,
    arguments: tuple[Any, ...],
    person: User,
    mail: Mail,
    template: str,
    context: dict[str, Any],
) -> None:
    """Send; where the mail server is away or has a bad day, try again in 2, 4, 8, 16 minutes.

    The last failure stays with the task, for the admin to see; so does an address that is refused
    for good.
    """
    try:
        mailing.send(person, mail, template, context)
    except (SMTPException, OSError) as error:
        if tries >= TRIES or _is_final(error):
            raise
        later = timezone.now() + timedelta(minutes=2**tries)
        again.using(run_after=later).enqueue(*arguments, tries + 1)


def _is_final(error: Exception) -> bool:
    """Say whether an address is refused for good (5xx), not for now: a greylist, a full mailbox."""
    if not isinstance(error, SMTPRecipientsRefused):
        return False
    return any(code >= 500 for code, _reason in error.recipients.values())
