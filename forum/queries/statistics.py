"""What staff see of a site's life: figures of each day, and who comes back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.utils.translation import gettext_lazy as _

from forum.gateway.service import get_voting_service
from forum.identity.presence import highest
from forum.models import ArchivedVote, Comment, Post, User
from voting.errors import StoreUnavailable

DAYS = 30
WEEK = 7
COHORTS = 8
"""Weeks of sign-ups in the retention grid."""


@dataclass(frozen=True, slots=True)
class Series:
    """A figure for each of some days."""

    title: Any
    days: tuple[date, ...]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cohort:
    """Who signed up in a week, and how many of them were here in it and in each week since."""

    week: date
    people: int
    here: tuple[int, ...]

    @property
    def shares(self) -> list[int]:
        """The same in per cent of the people."""
        return [round(100 * here / self.people) if self.people else 0 for here in self.here]


def waiting() -> int | None:
    """Return how many votes wait to be archived, None while Redis is away. One round trip."""
    try:
        return get_voting_service().maintenance.ledger.lag()
    except StoreUnavailable:
        return None


def written(today: date) -> list[Series]:
    """Return what happened on each of the last 30 days, by SQL. Four queries."""
    days = _up_to(today, DAYS)
    told = (
        (_("Sign-ups"), User.objects.all(), "date_joined"),
        (_("Posts"), Post.objects.visible(), "created_at"),
        (_("Comments"), Comment.objects.visible(), "created_at"),
        (_("Votes that stand"), ArchivedVote.objects.exclude(vote=0), "at"),
    )
    return [_by_day(title, days, rows, when) for title, rows, when in told]


def active(today: date) -> list[Series]:
    """Return how many people were here by each of the last 30 days; none where Redis is away.

    One query; a round trip for each day, and two for each day and piece of 2^20 people.
    """
    days, activity, last = _up_to(today, DAYS), get_voting_service().activity, highest()

    def any_of(span: int) -> Callable[[date], int]:
        return lambda day: activity.on_any(_up_to(day, span), last)

    told: tuple[tuple[Any, Callable[[date], int]], ...] = (
        (_("People on the day"), lambda day: activity.on(day, last)),
        (_("People in the 7 days up to it"), any_of(WEEK)),
        (_("People in the 30 days up to it"), any_of(DAYS)),
    )
    try:
        return [Series(title, days, tuple(map(count, days))) for title, count in told]
    except StoreUnavailable:
        return []


def retention(today: date) -> list[Cohort]:
    """Return who signed up in each of the last 8 weeks and came back; none where Redis is away.

    Weeks begin on Monday. One query, and a round trip for each square and piece.
    """
    monday = today - timedelta(days=today.weekday())
    weeks = [monday - timedelta(days=WEEK * ago) for ago in reversed(range(COHORTS))]
    joined = User.objects.filter(date_joined__gte=_midnight(weeks[0]))
    members: dict[date, list[int]] = {week: [] for week in weeks}
    for user_id, at in joined.values_list("pk", "date_joined"):
        week = at.astimezone(UTC).date()
        members.setdefault(week - timedelta(days=week.weekday()), []).append(user_id)
    try:
        return [_cohort(week, members[week], weeks) for week in weeks]
    except StoreUnavailable:
        return []


def _cohort(week: date, members: list[int], weeks: list[date]) -> Cohort:
    activity = get_voting_service().activity
    people = activity.bitmaps(members)
    here = (
        activity.among(_up_to(later + timedelta(days=WEEK - 1), WEEK), people)
        for later in weeks
        if later >= week
    )
    return Cohort(week, len(members), tuple(here))


def _by_day(title: Any, days: tuple[date, ...], rows: QuerySet[Any], when: str) -> Series:
    since = {f"{when}__gte": _midnight(days[0])}
    counted = rows.filter(**since).annotate(day=TruncDate(when)).order_by().values("day")
    found = dict(counted.annotate(n=Count("pk")).values_list("day", "n"))
    return Series(title, days, tuple(found.get(day, 0) for day in days))


def _up_to(last: date, count: int) -> tuple[date, ...]:
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
