"""The staff log: how staff configured the site, and what they did to accounts. The admin shows it.

Moderation has a log of its own (`forum.screening.action_log`).
"""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model

from forum.models import User


def changed(by: User | None, things: Iterable[Model], sentence: str) -> None:
    """Log one sentence about a change by staff: a group, a pin, a text of the owners.

    It is shown in the admin, under "Recent actions" and in the history of each thing. One query.
    Nothing is logged for people who aren't staff.
    """
    if by is not None and by.is_staff:
        LogEntry.objects.log_actions(by.pk, things, CHANGE, sentence)
