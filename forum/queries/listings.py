"""Listings: from voting, and from SQL where voting can't tell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import F, QuerySet
from django.utils import timezone

from forum import cards
from forum.models import Post
from forum.store import voting
from forum.voters import archived_votes
from voting.errors import StoreUnavailable
from voting.types import Direction, Mix, Operator, Order, Page, Row

POINTS = F("up") - F("down")
KEYS = {Order.HOT: "score", Order.NEW: "created_at"}
PERIODS = {Order.TOP_DAY: 1, Order.TOP_WEEK: 7, Order.TOP_MONTH: 30}
"""Days that `top` looks back."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a listing; `resting` where it comes from SQL because voting does not answer."""

    page: Page
    resting: bool


def listing(
    order: Order,
    number: int,
    *,
    group: str | Mix | None = None,
    viewer_id: int | None = None,
    direction: Direction = Direction.DESC,
) -> Listing:
    """Return a page. One round trip and no query, except where posts lie beyond a full ranking,
    where the viewer's votes are archived (one query), and where voting rests.
    """
    try:
        page = voting().listing(order, number, group=group, viewer=viewer_id, direction=direction)
        if page.trimmed and (number >= page.pages or direction is Direction.ASC):
            page = _beyond(page, order, group, viewer_id, direction)
    except StoreUnavailable:
        return Listing(_newest(number, group), resting=True)
    return Listing(replace(page, rows=with_archived_votes(page.rows, viewer_id)), resting=False)


def with_archived_votes(rows: Sequence[Row], viewer_id: int | None) -> tuple[Row, ...]:
    """Fill in votes that voting has forgotten since the window closed. One query at most."""
    forgotten = [row.id for row in rows if row.vote is None]
    if viewer_id is None or not forgotten:
        return tuple(rows)
    try:
        votes = archived_votes(viewer_id, forgotten)
    except DatabaseError:
        return tuple(rows)
    return tuple(replace(row, vote=votes[row.id]) if row.id in votes else row for row in rows)


def sql_row(post: Post) -> Row:
    """Return a post as the archive knows it; reads its author and groups."""
    groups = tuple(sorted(group.slug for group in post.groups.all()))
    return Row(post.pk, post.posted_at, post.up, post.down, groups, cards.pack(post), None)


def _beyond(
    page: Page, order: Order, group: str | Mix | None, viewer_id: int | None, direction: Direction
) -> Page:
    """Return a page that a full ranking no longer holds: which posts from SQL, the rest from
    voting. Two queries, one round trip more.
    """
    posts = _posts(group)
    if order in PERIODS:
        since = timezone.now() - timedelta(days=PERIODS[order])
        posts = posts.filter(created_at__gte=since)
    key = F(KEYS[order]) if order in KEYS else POINTS
    best_first = direction is Direction.DESC
    posts = posts.order_by(*(e.desc() if best_first else e.asc() for e in (key, F("pk"))))
    total = posts.count()
    if best_first and page.rows:
        return replace(page, total=total)
    start = (page.number - 1) * page.size
    ids = list(posts.values_list("pk", flat=True)[start : start + page.size])
    return replace(page, rows=voting().rows(ids, viewer=viewer_id), total=total)


def _newest(number: int, group: str | Mix | None) -> Page:
    """Return the newest posts as the archive knows them. Three queries."""
    size = settings.PAGE_SIZE
    posts = _posts(group).order_by("-created_at", "-pk")
    shown = posts.select_related("author").prefetch_related("groups").defer("body", "body_html")
    rows = tuple(sql_row(post) for post in shown[(number - 1) * size : number * size])
    return Page(rows, number, size, posts.count())


def _posts(group: str | Mix | None) -> QuerySet[Post]:
    """Return the posts of a group or mix that are not deleted, in no order."""
    posts = Post.objects.filter(deleted_at=None)
    if group is None:
        return posts
    if isinstance(group, str):
        return posts.filter(groups__slug=group)
    if group.operator is Operator.ANY:
        return posts.filter(groups__slug__in=group.groups).distinct()
    first, *others = group.groups
    posts = posts.filter(groups__slug=first)
    for slug in others:
        among = Post.objects.filter(groups__slug=slug)
        posts = (
            posts.filter(pk__in=among)
            if group.operator is Operator.ALL
            else posts.exclude(pk__in=among)
        )
    return posts
