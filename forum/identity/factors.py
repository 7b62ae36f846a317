"""When a person last proved their identity with a second factor."""

from datetime import timedelta

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest
from django.utils import timezone

from forum.identity.viewers import member

RECENT = timedelta(hours=12)


def used_recently(request: HttpRequest) -> bool:
    """Return whether a second factor was used in this session within the last 12 hours."""
    after = (timezone.now() - RECENT).timestamp()
    records = get_authentication_records(request, member(request))
    return any(used["method"] == "mfa" and used["at"] > after for used in records)
