"""Reads pages of listings from Redis, or from SQL if Redis is unavailable or lacks the posts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.expressions import Expression, OrderBy
from django.db.models.functions import Coalesce
from django.utils import timezone

from forum.models import HiddenGroup, Mark, Post
from forum.models.managers import TEXTS
from forum.models.post import POINTS
from forum.queries.groups import directory
from forum.queries.social import Suggested, sql_group_relation
from forum.store import post_cards
from forum.store.service import get_voting_service
from forum.store.voters import archived_votes
from voting.errors import StoreUnavailable
from voting.types import Cursor, Direction, Hiding, Mix, Operator, Order, Page, Row

AHEAD = 20
"""How many pages ahead SQL counts posts for the page links. Counting all posts takes too long."""
DEEPEST = 10_000
"""The most posts in a listing that is read from SQL because Redis is unavailable."""
LATEST = 2**33
"""Later times in a cursor, in seconds since 1970, are lowered to this time.

Cursors come from URLs, which people can edit.
"""
FARTHEST = 500_000
"""The most posts in a listing while Redis is available.

Redis stores only the first posts of a ranking. The later posts come from SQL.
"""
KEYS: dict[Order, F | Expression] = {
    Order.HOT: F("score"),
    Order.NEW: F("created_at"),
    Order.ACTIVE: Coalesce("commented_at", "created_at"),
    Order.VIEWS: F("views"),
}
PERIODS = {Order.TOP_DAY: 1, Order.TOP_WEEK: 7, Order.TOP_MONTH: 30}
Completion = Callable[[Sequence[int], tuple[Row, ...]], tuple[Row, ...]]
"""Takes the ids of a page and the rows of its visible posts. Returns the rows to show."""
"""The number of days that each `top` order covers."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a listing. If `redis_down`, it was read from SQL."""

    page: Page
    redis_down: bool
    suggestions: tuple[Suggested, ...] = ()
    """People to follow; only on the first page of a feed."""
    final_points: Mapping[int, int] = field(default_factory=dict)
    """The points that rows show in place of their current points, by the posts' ids."""


def listing(
    order: Order,
    number: int,
    *,
    group: str | Mix | None = None,
    viewer_id: int | None = None,
    direction: Direction = Direction.DESC,
    cursor: Cursor | None = None,
    hiding: Hiding | None = None,
    pinned: Sequence[int] = (),
) -> Listing:
    """Return a page of a listing. Pinned posts are in `Page.pinned`, not in `Page.rows`.

    One round trip. One query if some of the viewer's votes are only in SQL. More queries if Redis
    no longer has the posts, or is unavailable. While Redis is unavailable, no posts are pinned.
    """
    try:
        page = get_voting_service().listings.page(
            order,
            number,
            group=group,
            viewer=viewer_id,
            direction=direction,
            cursor=cursor,
            hiding=hiding,
            pinned=pinned,
        )
        if page.trimmed and (number >= page.pages or direction is Direction.ASC):
            page = _beyond(page, order, group, viewer_id, direction, cursor)
    except StoreUnavailable:
        by_time = order is Order.NEW and direction is Direction.DESC
        page = _newest(number, group, viewer_id, cursor if by_time else None)
        if not by_time:
            page = replace(page, last=None)
        return Listing(with_own_votes(page, viewer_id), redis_down=True)
    return Listing(
        with_own_votes(_without_pinned(page, group, pinned), viewer_id), redis_down=False
    )


def _without_pinned(page: Page, group: str | Mix | None, pinned: Sequence[int]) -> Page:
    """Remove the pinned posts from a page's rows, because the page shows them above the rows.

    Also remove from `Page.pinned` the posts that aren't in `group`, unless `group` is None.
    """
    if not pinned:
        return page
    apart = tuple(row for row in page.pinned if group is None or group in row.groups)
    return replace(page, pinned=apart, rows=tuple(row for row in page.rows if row.id not in pinned))


def with_own_votes(page: Page, viewer_id: int | None) -> Page:
    """Add the viewer's archived votes to all posts on a page. One query at most."""
    found = with_archived_votes((*page.pinned, *page.rows), viewer_id)
    first = len(page.pinned)
    return replace(page, pinned=found[:first], rows=found[first:])


def with_archived_votes(rows: Sequence[Row], viewer_id: int | None) -> tuple[Row, ...]:
    """Add the viewer's votes from SQL to the rows for which Redis had none. One query at most.

    Redis drops a post's votes some time after voting on the post closes.
    """
    forgotten = [row.id for row in rows if row.vote is None]
    if viewer_id is None or not forgotten:
        return tuple(rows)
    try:
        votes = archived_votes(viewer_id, forgotten)
    except DatabaseError:
        return tuple(rows)
    return tuple(
        replace(row, **votes[row.id]._asdict()) if row.id in votes else row for row in rows
    )


def sql_row(post: Post, *, merged_into: Post | None = None) -> Row:
    """Make a listing row from a post in SQL, and from the post that remains if it was merged.

    Loads the author and groups from SQL, unless they are already loaded.
    """
    groups = tuple(sorted(group.slug for group in post.groups.all()))
    return Row(
        post.pk,
        post.posted_at,
        post.up,
        post.down,
        groups,
        post_cards.pack(post, merged_into),
        None,
        comments=post.comment_count,
        views=post.views,
        starting_points=post.starting_points,
    )


def _beyond(
    page: Page,
    order: Order,
    group: str | Mix | None,
    viewer_id: int | None,
    direction: Direction,
    cursor: Cursor | None,
) -> Page:
    """Return a page of posts that are missing from a ranking, because Redis limits its length.

    SQL finds the posts, and Redis returns their rows. Two queries and one more round trip. To save
    time, `Page.total` counts posts only up to `AHEAD` pages after this page, and never more than
    `FARTHEST` posts. Only `Order.NEW` uses `cursor`.
    """
    posts = _in_period(_posts(group), order)
    sort = KEYS.get(order, POINTS)
    best_first = direction is Direction.DESC
    posts = posts.order_by(*(OrderBy(key, descending=best_first) for key in (sort, F("pk"))))
    counted = min((page.number + AHEAD) * page.size, FARTHEST)
    total = max(page.total, posts[:counted].count())
    if best_first and page.rows:
        return replace(page, total=total, more=page.more or total > page.total)
    by_time = order is Order.NEW
    start = (page.number - 1) * page.size
    if cursor and by_time:
        posts, start = _posted_after(posts, cursor, direction), 0
    found = list(posts.values_list("pk", flat=True)[start : min(start + page.size + 1, FARTHEST)])
    rows = get_voting_service().posts.rows(found[: page.size], viewer=viewer_id)
    more, last = len(found) > page.size, _last(rows) if by_time else None
    return replace(page, rows=rows, total=total, more=more, last=last)


def _in_period(posts: QuerySet[Post], order: Order) -> QuerySet[Post]:
    """Return only the posts in the period that an order covers, such as the last day."""
    if order not in PERIODS:
        return posts
    return posts.filter(created_at__gte=timezone.now() - timedelta(days=PERIODS[order]))


def _only_visible(_ids: Sequence[int], rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows


def listing_of(
    posts: QuerySet[Post],
    order: Order,
    number: int,
    *,
    viewer_id: int | None = None,
    direction: Direction = Direction.DESC,
    cursor: Cursor | None = None,
    size: int | None = None,
    complete: Completion = _only_visible,
) -> Listing:
    """Return a page of posts for which Redis has no ranking, such as the posts that link to a host.

    SQL finds the newest `DEEPEST` of these posts, and Python sorts them. If SQL sorted them, SQLite
    might choose an index that makes it read all posts of the site. `complete` gets the ids of the
    page and the rows of its visible posts, and returns the rows to show.

    One query, and one round trip for the rows. While Redis is unavailable, three queries.
    """
    keys = _in_period(posts, order).annotate(key=KEYS.get(order, POINTS)).order_by("-pk")
    scores = [(_score(key), pk) for key, pk in keys.values_list("key", "pk")[:DEEPEST]]
    return listing_of_scores(
        scores,
        number,
        viewer_id=viewer_id,
        direction=direction,
        cursor=cursor,
        size=size,
        complete=complete,
    )


def _score(key: float | datetime) -> float:
    return key.timestamp() if isinstance(key, datetime) else key


def listing_of_scores(
    scores: Sequence[tuple[float, int]],
    number: int,
    *,
    viewer_id: int | None = None,
    direction: Direction = Direction.DESC,
    cursor: Cursor | None = None,
    size: int | None = None,
    complete: Completion = _only_visible,
) -> Listing:
    """Return a page of posts, sorted by score and id. `scores` has the score and id of each post.

    `size` is the number of rows on a page, `settings.PAGE_SIZE` if it is None.

    The page starts after the cursor, if there is one. So if posts are published or deleted while
    somebody turns pages, the next page repeats and skips none. One round trip, or two queries while
    Redis is unavailable.
    """
    size = size or settings.PAGE_SIZE
    ordered = sorted(scores, reverse=direction is Direction.DESC)
    start = (number - 1) * size
    if cursor is not None:
        last, descending = (cursor.score, cursor.post_id), direction is Direction.DESC
        start = sum(last <= one if descending else last >= one for one in ordered)
    places = ordered[start : start + size]
    ids = [post_id for _score, post_id in places]
    try:
        rows, redis_down = get_voting_service().posts.rows(ids, viewer=viewer_id), False
    except StoreUnavailable:
        rows, redis_down = _sql_rows(ids), True
    reached = Cursor(*places[-1]) if places else None
    has_more = len(ordered) > start + size
    page = Page(complete(ids, rows), number, size, len(ordered), has_more, reached)
    return Listing(with_own_votes(page, viewer_id), redis_down)


def without_hidden(posts: QuerySet[Post], viewer_id: int | None) -> QuerySet[Post]:
    """Return posts without those that a viewer hides, and without posts in hidden groups."""
    if viewer_id is None:
        return posts
    marks = Mark.objects.filter(user_id=viewer_id, kind=Mark.Kind.HIDDEN)
    groups = HiddenGroup.objects.filter(user_id=viewer_id).values("group")
    places = Post.groups.through.objects.filter(post_id=OuterRef("pk"), group__in=groups)
    return posts.exclude(pk__in=marks.values("post_id")).exclude(Exists(places))


def _sql_rows(ids: Sequence[int]) -> tuple[Row, ...]:
    """Return the rows of visible posts from SQL, in the given order. Two queries."""
    posts = post_cards.with_cards(Post.objects.visible()).prefetch_related("groups").defer(*TEXTS)
    found = posts.in_bulk(ids)
    return tuple(sql_row(found[pk]) for pk in ids if pk in found)


def _newest(
    number: int, group: str | Mix | None, viewer_id: int | None, cursor: Cursor | None
) -> Page:
    """Return a page of the newest posts from SQL.

    Three queries, and two more if a member opens a single group.
    """
    page = newest_page(_posts(group), number, cursor)
    if viewer_id is None or not isinstance(group, str):
        return page
    return replace(page, relation=sql_group_relation(viewer_id, group))


def newest_page(posts: QuerySet[Post], number: int, cursor: Cursor | None = None) -> Page:
    """Return a page of the posts in a query set, newest first. Three queries.

    To save time, `Page.total` counts posts only up to `AHEAD` pages after this page, and never
    more than `DEEPEST` posts.
    """
    size = settings.PAGE_SIZE
    posts = posts.order_by("-created_at", "-pk")
    shown = post_cards.with_cards(posts).prefetch_related("groups").defer(*TEXTS)
    start, counted = (number - 1) * size, min((number + AHEAD) * size, DEEPEST)
    if cursor:
        shown, start = _posted_after(shown, cursor, Direction.DESC), 0
    found = tuple(sql_row(post) for post in shown[start : min(start + size + 1, DEEPEST)])
    total, rows = posts[:counted].count(), found[:size]
    return Page(rows, number, size, total, len(found) > size, _last(rows))


def _posted_after(posts: QuerySet[Post], cursor: Cursor, direction: Direction) -> QuerySet[Post]:
    """Return the posts that come after a cursor in a listing ordered by posting time."""
    at = datetime.fromtimestamp(min(max(cursor.score, 0), LATEST), UTC)
    if direction is Direction.DESC:
        return posts.filter(created_at__lte=at).exclude(created_at=at, pk__gte=cursor.post_id)
    return posts.filter(created_at__gte=at).exclude(created_at=at, pk__lte=cursor.post_id)


def _last(rows: Sequence[Row]) -> Cursor | None:
    return Cursor(rows[-1].posted_at, rows[-1].id) if rows else None


def _posts(group: str | Mix | None) -> QuerySet[Post]:
    """Return the visible posts of a group, of combined groups or of the whole site, unordered."""
    posts = Post.objects.visible()
    if group is None:
        return posts
    if isinstance(group, str):
        return posts.filter(_in(group))
    if group.operator is Operator.ANY:
        return posts.filter(_in(*group.groups))
    first, *others = group.groups
    if group.operator is Operator.ALL:
        return posts.filter(_in(first), *map(_in, others))
    return posts.filter(_in(first), ~_in(*others))


def _in(*slugs: str) -> Exists:
    """Return the SQL condition that a post is in any of these groups.

    The condition contains group ids. If it contained names, the database couldn't estimate how
    large the groups are.
    """
    topics = filter(None, map(directory.find, slugs))
    places = Post.groups.through.objects.filter(post_id=OuterRef("pk"))
    return Exists(places.filter(group_id__in=[topic.id for topic in topics]))
