"""Restoring and reading posts and comments that their authors deleted."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import retention, visibility
from forum.actions.visibility import Content
from forum.errors import Forbidden, Gone
from forum.identity import permissions
from forum.models import Comment, User

RESTORABLE = timedelta(hours=1)
"""For this long after the deletion, authors can restore what they deleted. Later, admins can."""


def may_restore(person_id: int | None, text: Content) -> bool:
    """Return whether a person deleted a post or comment of their own within the last hour."""
    if text.deleted_at is None or text.withheld or person_id != text.author_id:
        return False
    return timezone.now() - text.deleted_at < RESTORABLE


def may_read(person_id: int | None, text: Content) -> bool:
    """Return whether a person deleted a post or comment of their own whose text is still stored."""
    own = text.deleted_at is not None and not text.withheld and person_id == text.author_id
    return own and not retention.is_purged(text)


def stored_until(text: Content) -> datetime | None:
    """Return when the text of a deleted post or comment is deleted for good; None for never."""
    if text.deleted_at is None or not settings.DELETED_TEXT_DAYS:
        return None
    return text.deleted_at + timedelta(days=settings.DELETED_TEXT_DAYS)


@transaction.atomic
def restore(text: Content, *, by: User) -> None:
    """Restore a post or comment that its author deleted. Does nothing if it is visible.

    Raises Forbidden if `by` isn't the author or deleted it more than an hour ago, and Banned if
    `by` is banned. Raises Gone if moderation keeps it from readers.
    """
    if by.pk != text.author_id:
        raise Forbidden(_("Only the author can restore this."))
    permissions.require_may_write_in(by, text.post if isinstance(text, Comment) else text)
    visibility.lock(text)
    if text.deleted_at is None:
        return
    if text.withheld:
        raise Gone(text)
    if not may_restore(by.pk, text):
        raise Forbidden(_("You deleted this more than an hour ago. Only admins can restore it."))
    visibility.release(text)
