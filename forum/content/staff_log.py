"""The staff log: what staff did to other people's posts and comments. The admin shows it."""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.db.models import Model

from forum.models import Comment, Post, User


def deleted(by: User | None, thing: Post | Comment) -> None:
    """Log that staff deleted a post or comment. Each reader sees the log in their language."""
    name = thing._meta.verbose_name_raw
    _log(by, [thing], DELETION, [{"deleted": {"name": name, "object": str(thing)}}])


def changed(by: User | None, things: Iterable[Model], sentence: str) -> None:
    """Log one sentence about a change by staff to some posts or comments."""
    _log(by, things, CHANGE, sentence)


def _log(by: User | None, things: Iterable[Model], flag: int, message: str | list[object]) -> None:
    """Add entries to the admin's "Recent actions" and to the history of each post or comment.

    One query. Nothing is logged for people who aren't staff: they only change their own content.
    """
    if by is not None and by.is_staff:
        LogEntry.objects.log_actions(by.pk, things, flag, message)
