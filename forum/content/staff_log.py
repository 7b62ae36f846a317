"""The staff log in the admin: how staff configured the site, and what they did to accounts.

Moderation has a log of its own (`forum.screening.action_log`).
"""

from collections.abc import Iterable

from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model

from forum.models import User


def changed(by: User | None, things: Iterable[Model], sentence: str) -> None:
    """Log one sentence about a change by staff to a group, a pin or a text of the owners.

    The admin shows the sentence under "Recent actions" and in the history of the changed object.
    One query. Nothing is logged if the person isn't staff.
    """
    if by is not None and by.is_staff:
        LogEntry.objects.log_actions(by.pk, things, CHANGE, sentence)
