"""Reads the numbers on the statistics page for staff: daily activity, and returning people."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.utils.translation import gettext_lazy as _

from forum.models import ArchivedVote, Comment, Post, User
from forum.queries.people import highest_id
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable

DAYS = 30
WEEK = 7
COHORTS = 8
"""The number of weeks in the table of returning people. Each row has the sign-ups of a week."""


@dataclass(frozen=True, slots=True)
class Series:
    """A named series of numbers, one for each day."""

    title: Any
    days: tuple[date, ...]
    values: tuple[int, ...]
    adds_up: bool = True
    """False if a sum would count somebody twice: active people are counted on each day."""

    @property
    def total(self) -> int | None:
        """Return the sum of all days, or None if days don't add up."""
        return sum(self.values) if self.adds_up else None


@dataclass(frozen=True, slots=True)
class Cohort:
    """The people who signed up in one week, and how many of them were active in each week since."""

    week: date
    people: int
    here: tuple[int, ...]

    @property
    def shares(self) -> list[int]:
        """For each week, the percentage of the people in this cohort who were active."""
        return [round(100 * here / self.people) if self.people else 0 for here in self.here]


def waiting() -> int | None:
    """Count the votes that aren't archived yet; None if Redis is unavailable. One round trip."""
    try:
        return get_voting_service().maintenance.ledger.lag()
    except StoreUnavailable:
        return None


def first_midnight(today: date) -> datetime:
    """Return when the first of the last 30 days began."""
    return _midnight(_up_to(today, DAYS)[0])


def written(today: date) -> list[Series]:
    """Count sign-ups, posts, comments and votes on each of the last 30 days. Four queries."""
    days = _up_to(today, DAYS)
    series = (
        (_("Sign-ups"), User.objects.all(), "date_joined"),
        (_("Posts"), Post.objects.visible(), "created_at"),
        (_("Comments"), Comment.objects.visible(), "created_at"),
        (_("Votes"), ArchivedVote.objects.counted().exclude(vote=0), "at"),
    )
    return [_by_day(title, days, rows, when) for title, rows, when in series]


def active(today: date) -> list[Series]:
    """Count the active people on each of the last 30 days; [] while Redis is unavailable.

    One query. For each day, one round trip, plus two per 2^20 people.
    """
    days, activity, last = _up_to(today, DAYS), get_voting_service().activity, highest_id()

    def any_of(span: int) -> Callable[[date], int]:
        return lambda day: activity.on_any(_up_to(day, span), last)

    series: tuple[tuple[Any, Callable[[date], int]], ...] = (
        (_("Active people"), lambda day: activity.on(day, last)),
        (_("Active people in the last 7 days, by day"), any_of(WEEK)),
        (_("Active people in the last 30 days, by day"), any_of(DAYS)),
    )
    try:
        return [Series(title, days, tuple(map(count, days)), False) for title, count in series]
    except StoreUnavailable:
        return []


def retention(today: date) -> list[Cohort]:
    """Return how many people signed up in each of the last 8 weeks, and how many stayed active.

    Of the people who signed up in one week, counts how many were active in that week and in each
    later week. Weeks begin on Monday. Returns [] while Redis is unavailable. One query. Each count
    of active people takes one round trip per 2^20 people.
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
