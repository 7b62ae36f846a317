"""Reads leaderboards, with the posts and people on them."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Generic, TypeVar

from django.conf import settings
from django.db.models import QuerySet, Sum

from forum.config.hidden_scores import is_hidden
from forum.models import BoardPoints, Post, User
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Page
from voting.types.boards import Board, BoardKind, BoardLine, Leaderboards

WEEK = 7

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Line(Generic[Subject]):
    """A post or person on a leaderboard, with its rank and points."""

    rank: int
    subject: Subject
    points: int
    hides_score: bool
    """Whether readers don't see the points of the post yet."""


@dataclass(frozen=True, slots=True)
class LeaderboardPage:
    """A page of both leaderboards: posts and people."""

    posts: tuple[Line[Post], ...]
    people: tuple[Line[User], ...]
    page: Page
    """The page numbers for the links below both leaderboards. The longer one has the last page."""


def leaders(day: date, *, week: bool, group: str, page: int) -> LeaderboardPage:
    """Return the leaderboards of a day, or of the seven days that end with that day.

    One round trip and two queries. While Redis is unavailable, four more queries compute the
    leaderboards in SQL.
    """
    read = get_voting_service().boards.week if week else get_voting_service().boards.day
    try:
        found = read(day, group=group, page=page)
    except StoreUnavailable:
        found = _from_sql(day, week=week, group=group, page=page)
    ids = [placing.subject_id for placing in found.posts.lines]
    posts = Post.objects.visible().select_related("author").in_bulk(ids)
    accounts = User.objects.exclude(username__startswith="[")  # deleted ones
    people = accounts.in_bulk([placing.subject_id for placing in found.people.lines])
    total = max(found.posts.total, found.people.total)
    return LeaderboardPage(
        _lines(found.posts, posts),
        _lines(found.people, people),
        Page.numbered((), page, settings.PAGE_SIZE, total),
    )


def _lines(board: Board, subjects: dict[int, Subject]) -> tuple[Line[Subject], ...]:
    """Return the lines of a leaderboard. Leaves out deleted posts and people."""
    return tuple(
        Line(rank, subject, placing.points, _hides_score(subject))
        for rank, placing in enumerate(board.lines, start=board.first_rank)
        if (subject := subjects.get(placing.subject_id))
    )


def _hides_score(subject: object) -> bool:
    return isinstance(subject, Post) and is_hidden(subject.posted_at)


def _from_sql(day: date, *, week: bool, group: str, page: int) -> Leaderboards:
    """Compute the leaderboards of posts and of people from daily points in SQL. Four queries."""
    first = day - timedelta(days=WEEK - 1) if week else day
    rows = BoardPoints.objects.filter(day__range=(first, day), group=group)
    posts, people = (_board(rows.filter(kind=kind), page) for kind in BoardKind)
    return Leaderboards(posts, people)


def _board(rows: QuerySet[BoardPoints], page: int) -> Board:
    size = settings.PAGE_SIZE
    sums = rows.values("subject_id").annotate(n=Sum("points")).filter(n__gt=0)
    ranked = sums.order_by("-n", "-subject_id").values_list("subject_id", "n")
    placings = tuple(BoardLine(*line) for line in ranked[(page - 1) * size : page * size])
    return Board(placings, sums.count(), page, size)
