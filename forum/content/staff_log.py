"""What staff do to what others wrote, noted where the admin shows it."""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.db.models import Model

from forum.models import Comment, Post, User


def deleted(by: User | None, thing: Post | Comment) -> None:
    """Note who deleted a post or a comment, in words that each reader gets in their language."""
    name = thing._meta.verbose_name_raw
    _note(by, [thing], DELETION, [{"deleted": {"name": name, "object": str(thing)}}])


def changed(by: User | None, things: Iterable[Model], said: str) -> None:
    """Note who did something else to some things."""
    _note(by, things, CHANGE, said)


def _note(by: User | None, things: Iterable[Model], flag: int, said: str | list[object]) -> None:
    """Note what a person did in "Recent actions" and in the history of each thing. One query.

    Nothing is noted of people who are not staff: what they change is theirs.
    """
    if by is not None and by.is_staff:
        LogEntry.objects.log_actions(by.pk, things, flag, said)
