"""Stores the best posts of each day, ranked by their votes up to the end of the day.

Waiting votes count from the end of their wait, and void votes not at all.

The ledger in SQL contains the time of each vote, but no imported votes. If a post has no votes in
the ledger, its current votes are counted, except those cast after the end of the day. Starting
points count, too.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from forum.ledger.cast_votes import CastVote
from forum.models import ArchivedVote, DayPost, FinishedDay, LedgerEntry, Post, VoteState
from forum.queries.batches import batches
from forum.queries.days import DAY, bounds
from forum.store.service import get_voting_service
from voting.types import Vote

COUNTED = (LedgerEntry.Kind.VOTE, LedgerEntry.Kind.COUNT)
"""The kinds of ledger entries after which a vote may count. A void vote never did."""
UNCOUNTED = (VoteState.VOID, VoteState.LATE)
"""The states of votes that never counted."""
AUTHOR = Post.objects.filter(pk=OuterRef("post_id")).values("author_id")

BEST = 100
"""How many posts of a day are stored."""
GRACE = timedelta(minutes=5)
"""How long after its end a day is finished, so that the last votes have been archived."""
BATCH = 20
"""The most days that one call of `finish` finishes."""


def finish() -> None:
    """Store the best posts of unfinished days: at most `BATCH` days, newest first.

    A past day is unfinished until its best posts are stored. Only the worker calls this. Does
    nothing while some votes aren't archived yet. Raises StoreUnavailable if Redis is down.
    """
    days = _unfinished()
    if days and not get_voting_service().maintenance.ledger.lag():
        for day in days:
            _finish(day)


def forget(days: Collection[date]) -> None:
    """Mark days as unfinished, so that the worker stores their best posts again."""
    FinishedDay.objects.filter(day__in=days).delete()


def _unfinished() -> list[date]:
    first = Post.objects.order_by("created_at").values_list("created_at", flat=True).first()
    if first is None:
        return []
    last = (timezone.now() - GRACE).date() - DAY
    count = (last - first.date()).days + 1
    if FinishedDay.objects.count() >= count:
        return []
    done = set(FinishedDay.objects.values_list("day", flat=True))
    days = (last - DAY * number for number in range(count))
    missing = [day for day in days if day not in done]
    return missing[:BATCH]


def _finish(day: date) -> None:
    """Store the best posts of a day."""
    start, end = bounds(day)
    posts = Post.objects.filter(created_at__gte=start, created_at__lt=end)
    points = dict(_points(posts.values_list("pk", "author_id", "starting_points"), end))
    best = sorted(points, key=lambda pk: (points[pk], pk), reverse=True)[:BEST]
    with transaction.atomic():
        finished, _new = FinishedDay.objects.get_or_create(day=day)
        finished.best.all().delete()
        DayPost.objects.bulk_create(
            DayPost(day=finished, rank=rank, post_id=pk, points=points[pk])
            for rank, pk in enumerate(best, 1)
        )


def _points(rows: Iterable[tuple[int, int, int]], end: datetime) -> Iterator[tuple[int, int]]:
    """Yield pairs: a post's id, and the points that the post had at the time `end`.

    `rows` contains each post's id, its author's id, and its starting points.
    """
    for some in batches(rows):
        sums = Counter({pk: start for pk, _author, start in some})
        authors = {pk: author for pk, author, _start in some}
        logged = LedgerEntry.objects.filter(post_id__in=sums, comment_id=0, kind__in=COUNTED)
        in_log = set(logged.values_list("post_id", flat=True))
        votes = _own(authors) | _dated(logged, end)
        cast = ArchivedVote.objects.filter(post_id__in=sums, comment_id=0)
        votes |= _dated(cast.exclude(post_id__in=in_log), end)
        uncounted = cast.filter(state__in=UNCOUNTED).values_list("post_id", "user_id")
        for pk, user in votes.keys() - set(uncounted):
            sums[pk] += votes[pk, user]
        yield from sums.items()


def _own(authors: Mapping[int, int]) -> dict[tuple[int, int], int]:
    """Return the up votes of those authors who have no vote in SQL on their posts.

    `authors` maps posts to authors. These are mostly authors of imported posts.
    """
    on_own = ArchivedVote.objects.filter(
        post_id__in=authors, comment_id=0, user_id=Subquery(AUTHOR)
    )
    voted = set(on_own.values_list("post_id", flat=True))
    return {one: int(Vote.UP) for one in authors.items() if one[0] not in voted}


def _dated(votes: QuerySet[Any], end: datetime) -> dict[tuple[int, int], int]:
    """Return each person's vote on each post just before the time `end`; 0 if it waited then."""
    last = dict[tuple[int, int], CastVote]()
    for row in votes.filter(at__lt=end).order_by("at", "pk").iterator():
        key, later = (row.post_id, row.user_id), CastVote.of(row)
        last[key] = last[key].followed_by(later) if key in last else later
    return {key: int(vote.vote) if vote.since < end else 0 for key, vote in last.items()}
