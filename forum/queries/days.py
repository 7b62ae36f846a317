"""Reads the best posts of a day or a week."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from forum.models import DayPost, FinishedDay, Post
from forum.models.managers import TEXTS
from forum.queries.listings import Listing, listing_of, listing_of_scores
from forum.queries.process_cache import ProcessCache
from forum.store import post_cards
from forum.store.post_cards import Card
from voting.types import Cursor, Order

DAY = timedelta(days=1)
FEW = 10
"""The number of posts on a page of a day's best posts."""
BESIDE = 5
"""The most posts of yesterday that stand beside the site's lists."""
BEST = DayPost.objects.filter(points__gt=0, post__deleted_at=None)
"""The best posts of all finished days: visible, and with more than zero points."""


class BestPost(NamedTuple):
    """One of the best posts of a day, for a link to it."""

    id: int
    card: Card


def bounds(day: date) -> tuple[datetime, datetime]:
    """Return the times at which a day begins and ends, in UTC."""
    start = datetime.combine(day, time(), UTC)
    return start, start + DAY


def is_finished(day: date) -> bool:
    """Return whether the best posts of a day are stored. One query."""
    return FinishedDay.objects.filter(day=day).exists()


def listing_of_day(
    day: date,
    number: int,
    *,
    viewer_id: int | None = None,
    cursor: Cursor | None = None,
    size: int | None = None,
) -> Listing:
    """Return a page of the best posts of a day, in their order at the day's end.

    These are the posts with more than zero points, and `Listing.final_points` has their points at
    the day's end. If the day isn't finished, all its posts are in their current order. `size` is
    the number of posts on a page, `settings.PAGE_SIZE` if it is None. Three queries at most, and
    one round trip.
    """
    scores = _scores(BEST.filter(day=day))
    if scores or is_finished(day):
        return _ranked(scores, number, viewer_id, cursor, size)
    start, end = bounds(day)
    posts = Post.objects.visible().filter(created_at__gte=start, created_at__lt=end)
    return listing_of(posts, Order.TOP_ALL, number, viewer_id=viewer_id, cursor=cursor, size=size)


def listing_of_week(
    monday: date, number: int, *, viewer_id: int | None = None, cursor: Cursor | None = None
) -> Listing:
    """Return a page of the best posts of a week, with the most points first.

    Only finished days of the week count, and only posts with more than zero points. A post's points
    are those that it had at the end of the day on which it was posted. `Listing.final_points` has
    them. One query and one round trip.
    """
    scores = _scores(BEST.filter(day__gte=monday, day__lt=monday + 7 * DAY))
    return _ranked(scores, number, viewer_id, cursor)


def _scores(best: QuerySet[DayPost]) -> list[tuple[int, int]]:
    return list(best.values_list("points", "post_id"))


def _ranked(
    scores: Sequence[tuple[int, int]],
    number: int,
    viewer_id: int | None,
    cursor: Cursor | None,
    size: int | None = None,
) -> Listing:
    """Return a page of posts that are ranked by their final points."""
    listing = listing_of_scores(scores, number, viewer_id=viewer_id, cursor=cursor, size=size)
    return replace(listing, final_points={post_id: points for points, post_id in scores})


def first_day() -> date | None:
    """Return the day of the site's oldest visible post, or None. One query."""
    oldest = Post.objects.visible().order_by("created_at").values_list("created_at", flat=True)
    first = oldest.first()
    return first.date() if first else None


def today() -> date:
    """Return the current day in UTC."""
    return timezone.now().date()


def _read_yesterday() -> tuple[BestPost, ...]:
    """Return the best posts of yesterday, best first; none if the day isn't finished. One query."""
    best = BEST.filter(day=today() - DAY).order_by("rank").select_related("post__author")
    posts = [row.post for row in best.defer(*(f"post__{name}" for name in TEXTS))[:BESIDE]]
    return tuple(BestPost(post.pk, post_cards.card_of(post, post.author)) for post in posts)


best_of_yesterday = ProcessCache[tuple[BestPost, ...]](_read_yesterday, ())
"""The best posts of yesterday, best first: at most `BESIDE`."""
