"""Records when a member's visits end, so that lists can mark posts since the last visit.

A visit is a time of reading without long pauses. A person's `active_at` is written at most once
in half an hour. So a pause of less than half an hour never ends a visit, and a pause of an hour
always does.
"""

from contextlib import suppress
from datetime import timedelta

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.account_networks import note_network
from forum.models import User

STEP = timedelta(minutes=30)
"""How long `active_at` isn't written again."""
PAUSE = 2 * STEP
"""If `active_at` is older than this, the person paused for at least half an hour."""


def note_visit(user: User, request: HttpRequest) -> None:
    """Record that a person is active now, and when their last visit ended if they were away.

    Also records the network. Changes `user`, too. Two queries at most, and none within half an
    hour. Records nothing while SQL is down.
    """
    now, before = timezone.now(), user.active_at
    if before is not None and now - before < STEP:
        return
    if before is not None and now - before >= PAUSE:
        user.last_visit_at = before
    user.active_at = now
    with suppress(DatabaseError):
        User.objects.filter(pk=user.pk, active_at=before).update(
            active_at=now, last_visit_at=user.last_visit_at
        )
    note_network(user.pk, request)
