"""Tells Redis what SQL has counted, archives what Redis counts, and brings both back.

What is written is absolute and read from SQL after the change was committed. Of two writers the
slower could leave what it read too early, so everyone looks at SQL again after writing, and writes
again until both agree: whoever writes last has then seen all that was committed before.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from threading import Lock
from typing import TypeVar

from django.db import DatabaseError, connection, transaction
from django.db.models import Sum
from django_tasks import task

from forum.gateway.service import get_voting_service
from forum.ledger import leaderboards
from forum.ledger.leaderboards import Credited
from forum.models import BoardPoints, Comment, DailyViews, Post, User
from forum.queries.batches import batches, each, each_pk
from forum.queries.counts import done_and_received
from forum.sync import tasks
from voting.errors import StoreEmpty, StoreUnavailable
from voting.types.boards import Spot

RECENT = 2_000
"""Archived entries that a dead worker may not have told Redis of."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Debts:
    """What this process has committed and could not tell Redis yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owed = Credited()

    def owe(self, credited: Credited) -> None:
        """Remember what to tell."""
        with self._lock:
            self._owed |= credited

    def settle(self) -> None:
        """Tell all that is owed. Raises StoreUnavailable or DatabaseError, and goes on owing it.

        Three round trips and six queries for up to 500 people, votes and lines of boards. While
        Redis is being filled all stays owed, since what is told then may be overwritten.
        """
        with self._lock:
            owed, self._owed = self._owed, Credited()
        try:
            for some in batches(sorted(owed.liked)):
                _agree(partial(leaderboards.liked, some), get_voting_service().lists.set_liked)
            _tell_boards(owed.spots)
            refresh(owed.people)
        except (StoreUnavailable, DatabaseError) as error:
            self.owe(owed)
            if not isinstance(error, StoreEmpty):
                raise


debts = Debts()


def owe_recent() -> None:
    """Owe what a worker that died may not have told Redis; for the start of a worker."""
    debts.owe(leaderboards.recent(RECENT))


def tell_or_owe(credited: Credited) -> None:
    """Write what an import has moved to Redis; where it is away, its next batch does it."""
    debts.owe(credited)
    with suppress(StoreUnavailable, DatabaseError):
        debts.settle()


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def recount(user_id: int) -> None:
    """Write the counters of a person who wrote, deleted or brought back a post or comment.

    Enqueue it in the transaction that does that: counting takes the longer the more they wrote. Of
    somebody whose posts are deleted by the hundred it counts once, not once for each.
    """
    with tasks.together(recount.module_path, user_id):
        refresh([user_id])


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def tell_moved(post_id: int, groups: list[str]) -> None:
    """Write the boards' lines of a post that left or joined groups, and of those who wrote in it.

    Enqueue it in the transaction that moves the post: a discussion may have thousands of writers.
    """
    for some in batches(leaderboards.stood(post_id, groups)):
        _tell_boards(some)


def tell_group(slug: str) -> None:
    """Write all lines of a group's boards to Redis. Three queries and a round trip for 500."""
    since = get_voting_service().activity.today() - timedelta(
        days=get_voting_service().boards.days_kept
    )
    lines = BoardPoints.objects.filter(day__gte=since, group=slug)
    for some in batches(leaderboards.standing(lines)):
        _tell_boards([spot for spot, _ in some])


def refresh_authors(post_ids: Collection[int], comment_ids: Collection[int]) -> None:
    """Write the counters of those who wrote these. Four queries and a round trip for 500."""
    posts = Post.objects.filter(pk__in=post_ids).values_list("author", flat=True)
    comments = Comment.objects.filter(pk__in=comment_ids).values_list("author", flat=True)
    refresh({*posts, *comments})


def refresh(user_ids: Collection[int]) -> None:
    """Write the counters of people. Two queries and a round trip for 500 people.

    Call it after the commit of whatever changes how many posts or comments they have.
    """
    for some in batches(sorted(user_ids)):
        _agree(partial(done_and_received, some), get_voting_service().counters.set_people)


def keep() -> None:
    """Settle debts, and archive the views of today and yesterday. Raises StoreUnavailable."""
    debts.settle()
    today = get_voting_service().activity.today()
    for day in (today - timedelta(days=1), today):
        _archive_views(day)


def _archive_views(day: date) -> None:
    """Bring the views of a UTC day to SQL. A Redis that came back older takes none away.

    One round trip and a query; five more for 500 posts with new views.
    """
    known = dict(DailyViews.objects.filter(day=day).values_list("post_id", "views"))
    viewed = get_voting_service().counters.viewed(day)
    changed = {post_id: n for post_id, n in sorted(viewed.items()) if known.get(post_id, 0) < n}
    for some in batches(list(changed)):
        _write_views(day, {post_id: changed[post_id] for post_id in some})


def fill() -> None:
    """Bring back counters, boards and today's views, which go on; posts bring all of theirs."""
    counters, today = get_voting_service().counters, get_voting_service().activity.today()
    for some in batches(each(DailyViews.objects.filter(day=today), "post_id", "views")):
        counters.fill_day(today, {post_id: views for _pk, post_id, views in some})
    since = today - timedelta(days=get_voting_service().boards.days_kept)
    for lines in batches(leaderboards.standing(BoardPoints.objects.filter(day__gte=since))):
        _tell_boards([spot for spot, _ in lines])
    for people in batches(each_pk(User.objects.all())):
        refresh(people)


def _tell_boards(spots: Collection[Spot]) -> None:
    """Write the points of spots. Two queries and a round trip for 500 of them."""
    for some in batches(sorted(spots)):
        _agree(partial(leaderboards.points, some), get_voting_service().boards.write)


def _agree(read: Callable[[], dict[Key, Value]], write: Callable[[dict[Key, Value]], None]) -> None:
    """Write what SQL says, until it says the same after writing."""
    told = read()
    while True:
        write(told)
        seen = read()
        if seen == told:
            return
        told = seen


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
