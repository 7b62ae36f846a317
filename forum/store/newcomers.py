"""New accounts, of whose votes only a few count on a post or comment at a time.

The other votes wait until their account is no longer new. Accounts are new for NEW_PERSON seconds,
but not if staff made them or if they were invited, and not in the first week of the site.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from django.conf import settings

from forum.models import User
from forum.store.service import get_voting_service
from voting.types import Newcomer

LAUNCH = timedelta(days=7)
"""How long nothing waits after the site's first account was made, so that a launch works."""


class _Launch:
    """Whether the first week of the site is over. A process needs no query once it is."""

    def __init__(self) -> None:
        self._is_over = False

    def is_over(self) -> bool:
        """Return whether votes of new accounts can wait. One query until the week is over."""
        if not self._is_over:
            first = User.objects.order_by("pk").values_list("date_joined", flat=True).first()
            self._is_over = first is not None and first <= _now() - LAUNCH
        return self._is_over

    def forget(self) -> None:
        """Ask SQL again. For tests, which empty the site."""
        self._is_over = False


launch = _Launch()


def new_until(person: User) -> int:
    """Return when a person's account stops being new (s since 1970). 0 if its votes never wait."""
    end = int(person.date_joined.timestamp()) + settings.NEW_PERSON
    is_new = end > get_voting_service().now() and not person.counts_at_once
    return end if is_new and launch.is_over() else 0


def newcomer(user_id: int, ends_at: int, network: str) -> Newcomer | None:
    """Return what voting must know about a new account; None if all of its votes count.

    `ends_at` is when the account stops being new, and `network` a hash of its network.
    """
    if ends_at <= get_voting_service().now() or not settings.NEW_VOTES:
        return None
    if settings.SHARED_NETWORKS:
        network = f"u{user_id}"
    return Newcomer(ends_at, network, settings.NEW_VOTES)


def newcomers(user_ids: Collection[int]) -> dict[int, Newcomer]:
    """Return those of some people whose accounts are new. One query.

    Their networks are unknown, so each counts as one of its own.
    """
    newest = _now() - timedelta(seconds=settings.NEW_PERSON)
    people = User.objects.filter(pk__in=user_ids, date_joined__gt=newest)
    found = {
        person.pk: newcomer(person.pk, new_until(person), f"u{person.pk}")
        for person in people.only("date_joined", "counts_at_once")
    }
    return {pk: one for pk, one in found.items() if one}


def _now() -> datetime:
    return datetime.fromtimestamp(get_voting_service().now(), UTC)
