"""When a person last proved their identity with a second factor."""

from datetime import timedelta

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.viewers import member

RECENT = timedelta(hours=12)
ADDED = "factor_added_at"
"""The session's key for the Unix time when the person added a second factor."""


def note_added(request: HttpRequest) -> None:
    """Note in the session that the person added a second factor now, which takes using it."""
    request.session[ADDED] = int(timezone.now().timestamp())


def used_recently(request: HttpRequest) -> bool:
    """Return whether a second factor was used in this session within the last 12 hours."""
    after = (timezone.now() - RECENT).timestamp()
    records = get_authentication_records(request, member(request))
    times = [used["at"] for used in records if used["method"] == "mfa"]
    return any(at > after for at in (*times, request.session.get(ADDED, 0)))
