"""Reads the security log."""

from dataclasses import dataclass

from forum.models import SecurityEvent, User
from forum.queries.keyset import newest_below


@dataclass(frozen=True, slots=True)
class SecurityPage:
    """A page of a person's security log. The next page has the events with ids below `before`."""

    events: tuple[SecurityEvent, ...]
    before: int | None


def of_person(person: User, before: int | None) -> SecurityPage:
    """Return events of a person's account with ids below `before`, newest first. One query."""
    return SecurityPage(*newest_below(SecurityEvent.objects.filter(person=person), before))
