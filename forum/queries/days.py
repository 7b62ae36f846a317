"""Reads the best posts of a day or a week."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

from forum.models import DayPost, FinishedDay, Post
from forum.queries.listings import Listing, listing_of, listing_of_scores
from voting.types import Cursor, Order

DAY = timedelta(days=1)


def bounds(day: date) -> tuple[datetime, datetime]:
    """Return the times at which a day begins and ends, in UTC."""
    start = datetime.combine(day, time(), UTC)
    return start, start + DAY


def is_finished(day: date) -> bool:
    """Return whether the best posts of a day are stored. One query."""
    return FinishedDay.objects.filter(day=day).exists()


def listing_of_day(
    day: date, number: int, *, viewer_id: int | None = None, cursor: Cursor | None = None
) -> Listing:
    """Return a page of the best posts of a day, in their order at the day's end.

    If the day isn't finished, the posts are in their current order. Three queries at most, and one
    round trip.
    """
    best = DayPost.objects.filter(day=day, post__deleted_at=None)
    scores = list(best.values_list("points", "post_id"))
    if scores or is_finished(day):
        return listing_of_scores(scores, number, viewer_id=viewer_id, cursor=cursor)
    start, end = bounds(day)
    posts = Post.objects.visible().filter(created_at__gte=start, created_at__lt=end)
    return listing_of(posts, Order.TOP_ALL, number, viewer_id=viewer_id, cursor=cursor)


def listing_of_week(
    monday: date, number: int, *, viewer_id: int | None = None, cursor: Cursor | None = None
) -> Listing:
    """Return a page of the best posts of a week, with the most points first.

    Only finished days of the week count. A post's points are those that it had at the end of the
    day on which it was posted. One query and one round trip.
    """
    week = DayPost.objects.filter(day__gte=monday, day__lt=monday + 7 * DAY, post__deleted_at=None)
    scores = list(week.values_list("points", "post_id"))
    return listing_of_scores(scores, number, viewer_id=viewer_id, cursor=cursor)


def first_day() -> date | None:
    """Return the day of the site's oldest visible post, or None. One query."""
    oldest = Post.objects.visible().order_by("created_at").values_list("created_at", flat=True)
    first = oldest.first()
    return first.date() if first else None


def today() -> date:
    """Return the current day in UTC."""
    return timezone.now().date()
