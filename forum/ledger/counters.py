"""Syncs people's counters, leaderboards and liked posts to Redis, and archives post views."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Self

from django.db import connection, transaction
from django.db.models import Sum

from forum.ledger import leaderboards
from forum.ledger.leaderboards import ChangedCounts
from forum.models import BoardPoints, DailyViews, User
from forum.queries.batches import batches, each, each_pk
from forum.queries.counts import done_and_received
from forum.store import outbox
from forum.store.service import get_voting_service
from voting.types.boards import BoardKey, BoardKind


@dataclass(frozen=True)
class VotesSync(outbox.Sync):
    """Syncs leaderboards, people's counters and liked posts to Redis when votes in SQL change."""

    kind = "votes"
    lines: Sequence[tuple[str, str, str, int]]
    """Leaderboard lines: ISO date, group, "post" or "person", and the id of the post or person."""
    people: Sequence[int]
    liked: Sequence[tuple[int, int]]
    """Pairs of person id and post id."""

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Write current leaderboards, counters and liked posts from SQL to Redis."""
        for one in syncs:
            for some in batches((user_id, post_id) for user_id, post_id in one.liked):
                outbox.write_until_stable(
                    partial(leaderboards.liked, some), get_voting_service().person_lists.set_liked
                )
            _write_boards(
                BoardKey(date.fromisoformat(day), group, BoardKind(kind), subject_id)
                for day, group, kind, subject_id in one.lines
            )
            refresh(one.people)


@dataclass(frozen=True)
class AuthorSync(outbox.Sync):
    """Syncs people's counters after they wrote, or after their content was deleted or restored."""

    kind = "author"
    in_background = True  # the more they wrote, the longer it takes to count
    user_ids: Sequence[int]

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        refresh({user_id for one in syncs for user_id in one.user_ids})


@dataclass(frozen=True)
class MovedPostSync(outbox.Sync):
    """Syncs leaderboards of groups to Redis after a post has left or joined these groups.

    Syncs only the leaderboard lines of the post, and of everybody who wrote in its thread.
    """

    kind = "moved_post"
    in_background = True  # a discussion may have thousands of writers
    post_id: int
    groups: Sequence[str]

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Write to Redis the leaderboard lines of posts and of the people in their threads."""
        for one in syncs:
            _write_boards(leaderboards.lines_of(one.post_id, one.groups))


def sync_votes(changed: ChangedCounts) -> None:
    """Sync the changed leaderboards, counters and liked posts to Redis after the commit."""
    if changed.keys or changed.people or changed.liked:
        lines = [(day.isoformat(), group, kind, pk) for day, group, kind, pk in changed.keys]
        outbox.add(VotesSync(lines, changed.people, changed.liked))


def sync_group_boards(slug: str) -> None:
    """Write a group's leaderboards to Redis."""
    since = get_voting_service().activity.today() - timedelta(
        days=get_voting_service().boards.days_kept
    )
    lines = BoardPoints.objects.filter(day__gte=since, group=slug)
    _write_boards(key for key, _points in leaderboards.with_points(lines))


def refresh(user_ids: Collection[int]) -> None:
    """Write people's counters to Redis.

    If a transaction changes how much these people have written, call this after the commit.
    """
    for some in batches(sorted(user_ids)):
        outbox.write_until_stable(
            partial(done_and_received, some), get_voting_service().people.set_counts
        )


def archive_views() -> None:
    """Copy posts' views of yesterday and today from Redis to SQL. Raises StoreUnavailable."""
    today = get_voting_service().activity.today()
    for day in (today - timedelta(days=1), today):
        _archive_views(day)


def _archive_views(day: date) -> None:
    """Copy posts' views on one UTC day from Redis to SQL. Never lower a number in SQL."""
    known = dict(DailyViews.objects.filter(day=day).values_list("post_id", "views"))
    viewed = get_voting_service().views.of_day(day)
    changed = {post_id: n for post_id, n in sorted(viewed.items()) if known.get(post_id, 0) < n}
    for some in batches(list(changed)):
        _write_views(day, {post_id: changed[post_id] for post_id in some})


def fill() -> None:
    """Load people's counters, leaderboards and today's views from SQL into Redis.

    Total views are loaded with the posts, not here.
    """
    service = get_voting_service()
    today = service.activity.today()
    for some in batches(each(DailyViews.objects.filter(day=today), "post_id", "views")):
        service.views.fill_day(today, {post_id: views for _pk, post_id, views in some})
    since = today - timedelta(days=get_voting_service().boards.days_kept)
    lines = leaderboards.with_points(BoardPoints.objects.filter(day__gte=since))
    _write_boards(key for key, _points in lines)
    for people in batches(each_pk(User.objects.all())):
        refresh(people)


def _write_boards(keys: Iterable[BoardKey]) -> None:
    """Write leaderboard lines from SQL to Redis."""
    for some in batches(keys):
        outbox.write_until_stable(
            partial(leaderboards.points, some), get_voting_service().boards.write
        )


@transaction.atomic
def _write_views(day: date, views: Mapping[int, int]) -> None:
    DailyViews.objects.bulk_create(
        [DailyViews(post_id=post_id, day=day, views=n) for post_id, n in views.items()],
        update_conflicts=True,
        unique_fields=["post_id", "day"],
        update_fields=["views"],
    )
    sums = DailyViews.objects.filter(post_id__in=views).values("post_id").annotate(n=Sum("views"))
    rows = [(one["n"], one["post_id"]) for one in sums.order_by("post_id")]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE forum_post SET views = %s WHERE id = %s", rows)
