"""Reads the work in each group and of the moderators, for the statistics page for staff."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, QuerySet

from forum.models import Comment, Flag, ModAction, Post, QueueItem
from forum.models.mod_action import WHOLE
from forum.queries.groups import directory

MOST_GROUPS = 20
"""The most groups in the table."""


@dataclass(frozen=True, slots=True)
class BusyGroup:
    """A group with its numbers of new posts and comments."""

    slug: str
    title: str
    posts: int
    comments: int


@dataclass(frozen=True, slots=True)
class ModerationNumbers:
    """The moderators' work in a time span, and what waits for them now."""

    flags: int
    decided: int
    typical_seconds: float | None
    """Half of the decisions took less than this; None without decisions."""
    open: int
    oldest: datetime | None
    """When the oldest open item was opened; None without open items."""
    actions: list[tuple[str, int]]
    """The label and number of each kind of action, most frequent first."""


def busy_groups(since: datetime) -> list[BusyGroup]:
    """Return the groups with the most posts and comments since a time, busiest first.

    A post in two groups counts in both. Two queries, usually.
    """
    posts = _by_group(Post.objects.visible(), "groups__slug", since)
    comments = _by_group(Comment.objects.visible(), "post__groups__slug", since)
    topics = directory.topics()
    busiest = [slug for slug, _number in (posts + comments).most_common() if slug in topics]
    return [
        BusyGroup(slug, topics[slug].title, posts[slug], comments[slug])
        for slug in busiest[:MOST_GROUPS]
    ]


def moderation_numbers(since: datetime) -> ModerationNumbers:
    """Count the moderators' work since a time. Five queries, or four without decisions."""
    decided = QueueItem.objects.filter(decided_at__gte=since)
    number = decided.count()
    waiting = QueueItem.objects.filter(decided_at=None)
    queue = waiting.aggregate(number=Count("pk"), oldest=Min("created_at"))
    kinds = ModAction.objects.filter(WHOLE, created_at__gte=since).order_by()
    counted = kinds.values_list("kind").annotate(n=Count("pk")).order_by("-n", "kind")
    return ModerationNumbers(
        flags=Flag.objects.filter(created_at__gte=since).count(),
        decided=number,
        typical_seconds=_median_wait(decided, number),
        open=queue["number"],
        oldest=queue["oldest"],
        actions=[(str(ModAction.Kind(kind).label), count) for kind, count in counted],
    )


def _by_group(rows: QuerySet[Any], slug: str, since: datetime) -> Counter[str]:
    counted = rows.filter(created_at__gte=since).order_by().values_list(slug)
    return Counter(dict(counted.annotate(n=Count("pk")).exclude(**{slug: None})))


def _median_wait(decided: QuerySet[QueueItem], number: int) -> float | None:
    """Return how many seconds the typical item waited for its decision; None without items."""
    if not number:
        return None
    wait = ExpressionWrapper(F("decided_at") - F("created_at"), DurationField())
    waits = decided.annotate(wait=wait).order_by("wait").values_list("wait", flat=True)
    typical: timedelta = waits[number // 2]
    return typical.total_seconds()
