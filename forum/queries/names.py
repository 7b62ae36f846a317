"""Finds out whether a user name is free."""

from datetime import timedelta

from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone

from forum.models import FormerName, User
from forum.models.skeletons import skeleton, skeleton_of

YEAR = timedelta(days=365)
"""How long a former name is reserved, and how long a person waits until the next change."""


def looks_taken(name: str, *, but_for: User | None = None) -> bool:
    """Return whether a name looks like one that a person has, or had within a year.

    Ignores the names of `but_for`. Two queries.
    """
    look = Value(skeleton(name))
    people = User.objects.alias(look=skeleton_of("username")).filter(look=look)
    former = former_names().alias(look=skeleton_of("name")).filter(look=look)
    if but_for:
        people, former = people.exclude(pk=but_for.pk), former.exclude(user=but_for)
    return people.exists() or former.exists()


def former_names() -> QuerySet[FormerName]:
    """Return the names that people had within the last year, and no longer have."""
    return FormerName.objects.filter(changed_at__gt=timezone.now() - YEAR)


def find_former(name: str) -> User | None:
    """Return the person who had a name within the last year, or None. One query."""
    had = former_names().alias(small=Lower("name")).filter(small=Lower(Value(name)))
    found = had.select_related("user").order_by("-pk").first()
    return found.user if found else None
