"""Sends emails as tasks, which the worker runs.

A task is queued in the same transaction as the change that causes the email.

If the mail server is unavailable, the task is queued again for later, a few times. A task that a
crash interrupts is not run again, so that no email is sent twice. The outbox could send an email
twice, so emails don't use it.
"""

from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_tasks import task
from django_tasks.base import Task

from forum.inbox import mails
from forum.inbox.unsubscribe_links import Mail
from forum.models import Comment, Message, Post, User
from forum.queries import digests
from forum.queries.email_addresses import confirmed_address

PERIODS = {User.Digest.DAILY: timedelta(days=1), User.Digest.WEEKLY: timedelta(days=7)}
TRIES = 5
BATCH = 200
"""Maximum number of digests that one call of `enqueue_digests` queues."""


@task()
def send_reply(user_id: int, comment_id: int, tries: int = 1) -> None:
    """Email a person about a reply, unless the reply was deleted or the person unsubscribed."""
    person = User.objects.filter(pk=user_id, mails_replies=True).first()
    about = _comment(comment_id)
    _send_notification(send_reply, tries, (user_id, comment_id), person, Mail.REPLIES, about)


@task()
def send_mention(user_id: int, post_id: int, comment_id: int | None, tries: int = 1) -> None:
    """Email a person about a mention in a comment, or in a post if `comment_id` is None."""
    person = User.objects.filter(pk=user_id, mails_mentions=True).first()
    about = _post(post_id) if comment_id is None else _comment(comment_id)
    arguments = (user_id, post_id, comment_id)
    _send_notification(send_mention, tries, arguments, person, Mail.MENTIONS, about)


@task()
def send_watched(user_id: int, comment_id: int, tries: int = 1) -> None:
    """Email a person about a new comment in a thread that they watch."""
    person = User.objects.filter(pk=user_id, mails_watched=True).first()
    about = _comment(comment_id)
    _send_notification(send_watched, tries, (user_id, comment_id), person, Mail.WATCHED, about)


@task()
def send_message(user_id: int, message_id: int, tries: int = 1) -> None:
    """Email a person a message from moderators, or the notice about a moderation action."""
    person = User.objects.filter(pk=user_id, mails_moderators=True).first()
    messages = Message.objects.select_related("conversation__group", "action__post")
    about = messages.filter(pk=message_id).first()
    if person and about:
        shown = {"about": about, "action": about.action}
        _send_or_retry(send_message, tries, (user_id, message_id), person, Mail.MODERATORS, shown)


@task()
def send_digest(user_id: int, since: str, tries: int = 1) -> None:
    """Email a person a digest of unread inbox items and the best posts.

    `since` is a time in ISO 8601. The digest leaves out older inbox items.
    """
    person = User.objects.filter(pk=user_id).exclude(digest=User.Digest.NONE).first()
    if person is None:
        return
    items = digests.unread_items(person, datetime.fromisoformat(since))
    shown = {"items": items, "posts": digests.best_posts(person)}
    if any(shown.values()):
        _send_or_retry(send_digest, tries, (user_id, since), person, Mail.DIGEST, shown)


def enqueue_digests() -> int:
    """Queue the digests that are due; return how many were queued.

    Each digest is sent once, even if several workers call this at the same time. One query if no
    digest is due, three for each digest.
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


def _post(post_id: int) -> Post | None:
    return Post.objects.visible().select_related("author").filter(pk=post_id).first()


def _comment(comment_id: int) -> Comment | None:
    comments = Comment.objects.visible().on_visible_posts().select_related("author", "post")
    return comments.filter(pk=comment_id).first()


def _send_notification(
    again: Task[Any, Any],
    tries: int,
    arguments: tuple[Any, ...],
    person: User | None,
    mail: Mail,
    about: Post | Comment | None,
) -> None:
    if person and about:
        title = about.post.title if isinstance(about, Comment) else about.title
        _send_or_retry(again, tries, arguments, person, mail, {"about": about, "title": title})


def _send_or_retry(
    again: Task[Any, Any],
    tries: int,
    arguments: tuple[Any, ...],
    person: User,
    mail: Mail,
    context: dict[str, Any],
) -> None:
    """Send `mail/<mail>.txt` to a person with an active account and a confirmed email address.

    If the mail server is unavailable, the task is queued again: after 2, 4, 8 and 16 minutes. The
    task fails if the last try fails, or if the mail server refuses the address permanently.
    """
    address = confirmed_address(person) if person.is_active else ""
    if not address:
        return
    try:
        mails.send(person, address, mail, context)
    except (SMTPException, OSError) as error:
        if tries >= TRIES or _is_final(error):
            raise
        later = timezone.now() + timedelta(minutes=2**tries)
        again.using(run_after=later).enqueue(*arguments, tries + 1)


def _is_final(error: Exception) -> bool:
    """Return whether the mail server refused an address permanently (5xx)."""
    if not isinstance(error, SMTPRecipientsRefused):
        return False
    return any(code >= 500 for code, _reason in error.recipients.values())
