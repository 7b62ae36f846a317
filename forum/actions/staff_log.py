"""Writes the staff log in the admin: what staff changed in settings, groups, pins and accounts.

Moderation has a log of its own (`forum.actions.action_log`).
"""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model

from forum.models import User


def changed(by: User | None, things: Iterable[Model], sentence: str) -> None:
    """Log one sentence about a change that staff made to objects, such as groups or people.

    The admin shows the sentence under "Recent actions" and in the history of each object. Logs
    nothing if `by` isn't staff.
    """
    if by is not None and by.is_staff:
        for thing in things:  # one at a time, because only then Django sends the signal
            LogEntry.objects.log_actions(by.pk, [thing], CHANGE, sentence)
