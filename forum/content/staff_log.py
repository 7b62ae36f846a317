"""The staff log: what staff did to other people's content, as the admin shows it."""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.db.models import Model

from forum.models import Comment, Post, User


def deleted(by: User | None, thing: Post | Comment) -> None:
    """Log who deleted a post or comment; each reader sees it in their own language."""
    name = thing._meta.verbose_name_raw
    _log(by, [thing], DELETION, [{"deleted": {"name": name, "object": str(thing)}}])


def changed(by: User | None, things: Iterable[Model], sentence: str) -> None:
    """Log another change of some things in one sentence."""
    _log(by, things, CHANGE, sentence)


def _log(by: User | None, things: Iterable[Model], flag: int, message: str | list[object]) -> None:
    """Add entries to "Recent actions" and to the history of each thing. One query.

    People who are not staff change only their own things, which is not logged.
    """
    if by is not None and by.is_staff:
        LogEntry.objects.log_actions(by.pk, things, flag, message)
