"""Listings: pages of the site, of a group, of combined groups, and of a person's feed.

A feed has the top posts of followed groups and the newest posts of followed people. One script
builds the feed, which is cached for `mix_seconds`. The key of a cached feed contains a checksum of
the followed people and groups, so a new follow changes the feed at once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2s
from itertools import pairwise
from typing import Any

from voting import keys
from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import cursor_arguments, row_patterns
from voting.redis.queries import Query, fetch, fetch_all
from voting.redis.scripts import Call, Command
from voting.topics.follows import group_relation_query, suggestions_query
from voting.topics.groups import mix_call
from voting.topics.inbox import decode_unread
from voting.topics.posts import decode_rows, rows_query
from voting.types import Cursor, Direction, Hiding, Mix, Order, Page, Row, Rules
from voting.types.follows import FeedSources

LISTING = scripts.load("listing")
SWEEP = scripts.load("sweep")
BUILD_FEED = scripts.load("following")
SPANS = {Order.TOP_DAY: 86_400, Order.TOP_WEEK: 7 * 86_400, Order.TOP_MONTH: 30 * 86_400}
"""Seconds that a post stays in the `top` of a day, a week or a month."""
SWEEP_BATCH = 700
"""The most posts that one sweep checks (see `sweep_query`), so that no sweep takes long."""
MARGIN = 100
"""A ranking counts as full if less than 1/100 of its limit is free.

Such a ranking may have been completely full before other posts were retracted, and may have dropped
posts then.
"""

FEED_LENGTH = 1_000
"""The most posts in a feed: 40 pages."""
MAX_FEEDS = 500
"""The most feeds that are cached at a time. A feed takes about 90 kB."""
FEED_PEOPLE = 300
"""The most people in a feed: those whom the person followed last."""
GROUP_POSTS, ALL_GROUP_POSTS = 200, 2_000
"""A feed takes at most this many top posts from one group, and from all groups together."""
PERSON_POSTS, ALL_PERSON_POSTS = 50, 1_500
"""A feed takes at most this many of the newest posts of one person, and of all people together."""


@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments of `Listings.page`."""

    order: Order
    number: int
    group: str | Mix | None
    viewer: int | None
    direction: Direction
    cursor: Cursor | None
    hiding: Hiding | None
    pinned: tuple[int, ...]

    @property
    def hidden(self) -> tuple[str, str, str]:
        return _hidden_keys(self.viewer, self.group, self.hiding)


class Listings:
    """The listings of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def page(
        self,
        order: Order,
        number: int,
        *,
        group: str | Mix | None = None,
        viewer: int | None = None,
        direction: Direction = Direction.DESC,
        cursor: Cursor | None = None,
        hiding: Hiding | None = None,
        pinned: Sequence[int] = (),
    ) -> Page:
        """Return a page of the site, a group or combined groups, with the viewer's votes.

        Pages are numbered from 1. A page past the end has no rows. Up to 200 posts that the viewer
        hides are replaced by the next posts.

        If `cursor` is the `last` of the previous page, the page starts where that page ended, even
        if posts have come or gone since. The first page also has the rows of `pinned` posts.

        One round trip; more if hundreds of posts have become too old for `top` of a day, a week or
        a month.
        """
        request = _Request(order, number, group, viewer, direction, cursor, hiding, tuple(pinned))
        scopes = group.groups if isinstance(group, Mix) else (group,)
        sweep = sweep_query(order, scopes, self._now())
        unswept, page = self._fetch(request, sweep)
        if not unswept:
            return page
        while fetch(self._store, sweep):
            pass
        if isinstance(group, Mix):
            self._store.command("UNLINK", keys.mix(group, order, direction))
        return self._fetch(request, sweep)[1]

    def _fetch(self, request: _Request, sweep: Query[bool]) -> tuple[bool, Page]:
        """Remove some posts that are too old for the ranking (see `sweep_query`); read a page.

        Returns whether the ranking still has posts that are too old, and the page.
        """
        order, group, viewer = request.order, request.group, request.viewer
        rankings, before = keys.rankings(order, group if isinstance(group, str) else None), []
        if isinstance(group, Mix):
            rankings = (keys.mix(group, order, request.direction),)
            before = [mix_call(self._rules, self._now(), group, order, request.direction)]
        page_of_ranking = page_query(
            self._rules,
            self._now(),
            rankings,
            request.number,
            viewer=viewer,
            direction=request.direction,
            cursor=request.cursor,
            hidden=request.hidden,
            before=before,
        )
        pinned = _pinned_query(self._rules, self._now(), request)
        if viewer is None or not isinstance(group, str):
            unswept, page, pins = fetch_all(self._store, sweep, page_of_ranking, pinned)
            return unswept, replace(page, pinned=pins)
        relation = group_relation_query(viewer, group)
        unswept, page, pins, own = fetch_all(self._store, sweep, page_of_ranking, pinned, relation)
        return unswept, replace(page, pinned=pins, relation=own)

    def feed(
        self,
        user_id: int,
        number: int,
        sources: FeedSources,
        *,
        cursor: Cursor | None = None,
        hiding: Hiding | None = None,
        suggested: int = 0,
    ) -> Page:
        """Return a page of a person's feed, with up to `suggested` people to follow.

        A feed has at most 1,000 posts. For `number`, `cursor` and `hiding`, see `page`. One round
        trip.
        """
        now = self._now()
        page_of_feed = page_query(
            self._rules,
            now,
            (feed_key(user_id, sources),),
            number,
            viewer=user_id,
            direction=Direction.DESC,
            cursor=cursor,
            hidden=_hidden_keys(user_id, None, hiding),
            before=(feed_call(self._rules, now, user_id, sources),),
        )
        others = suggestions_query(user_id, sources.people if suggested else (), suggested)
        page: Page
        page, suggestions = fetch_all(self._store, page_of_feed, others)
        return replace(page, suggestions=suggestions)


def nearly_full(rules: Rules) -> int:
    """Return the smallest number of posts with which a ranking counts as full (see `MARGIN`)."""
    return rules.ranking_limit - rules.ranking_limit // MARGIN


def sweep_query(order: Order, scopes: Iterable[str | None], now: int) -> Query[bool]:
    """Return a query that moves old posts to the next ranking of `top`, which is for older posts.

    `top` consists of four rankings, for posts of different ages (see `voting.keys.BANDS`). The
    query checks a limited number of posts, and returns whether it must run again. It does nothing
    unless `order` is the `top` of a day, a week or a month.
    """
    bands = keys.BANDS.index(order) + 1 if order in SPANS else 0
    calls = [
        SWEEP(
            (
                keys.ranking(band, scope),
                keys.ranking(older, scope),
                keys.ranking(Order.NEW, scope),
                keys.SWEPT,
            ),
            now - SPANS[Order(band)],
            SWEEP_BATCH,
        )
        for scope in scopes
        for band, older in list(pairwise(keys.BANDS))[:bands]
    ]
    return Query(calls, any)


def page_query(
    rules: Rules,
    now: int,
    rankings: tuple[str, ...],
    number: int,
    *,
    viewer: int | None,
    direction: Direction,
    cursor: Cursor | None,
    hidden: tuple[str, str, str],
    before: Sequence[Call],
) -> Query[Page]:
    """Return the query for a page of one ranking, or of several rankings merged into one.

    `hidden` is the result of `_hidden_keys`. The query begins with the calls in `before`.
    """
    call = LISTING(
        (keys.generation(keys.RANK_TAG), *rankings),
        *row_patterns(viewer),
        (number - 1) * rules.page_size,
        rules.page_size,
        int(direction is Direction.DESC),
        *hidden,
        "" if viewer is None else people.unread(viewer),
        *cursor_arguments(cursor),
    )
    full = nearly_full(rules)

    def page(replies: Sequence[Any]) -> Page:
        total, after, reply, counts, end = replies[-1]
        rows = decode_rows(rules, now, viewer, reply)
        unread = None if viewer is None else decode_unread(viewer, counts).total
        last = Cursor(float(end[1]), int(end[0])) if end else None
        return Page(
            rows, number, rules.page_size, total, after < total, last, total >= full, unread
        )

    return Query((*before, call), page)


def _hidden_keys(viewer: int | None, scope: object, hiding: Hiding | None) -> tuple[str, str, str]:
    """Return the Redis keys of the viewer's hidden posts, hidden groups and read threads.

    If a listing shows such posts all the same, the key is "". For example, the page of a hidden
    group shows the group's posts.
    """
    if viewer is None or hiding is None:
        return ("", "", "")
    return (
        people.hidden(viewer) if hiding.posts else "",
        people.hidden_groups(viewer) if hiding.posts and scope is None else "",
        people.seen(viewer) if hiding.read else "",
    )


def _pinned_query(rules: Rules, now: int, request: _Request) -> Query[tuple[Row, ...]]:
    """Return the query for the rows of pinned posts.

    Only the first page of a listing has pinned posts.
    """
    ids = request.pinned if request.number == 1 and request.cursor is None else ()
    query = rows_query(rules, now, ids, request.viewer)
    hidden, *_ = request.hidden
    if not ids or not hidden:
        return query

    def visible(replies: Sequence[Any]) -> tuple[Row, ...]:
        *found, times = replies
        unwanted = {post_id for post_id, at in zip(ids, times, strict=True) if at is not None}
        return tuple(row for row in query.decode(found) if row.id not in unwanted)

    return Query((*query.calls, Command(("ZMSCORE", hidden, *ids))), visible)


# Feeds


def feed_key(user_id: int, sources: FeedSources) -> str:
    """Return the key of a person's feed that is made from `sources`."""
    made_of = f"{sources.people[:FEED_PEOPLE]} {sources.groups}"
    return keys.feed(user_id, blake2s(made_of.encode(), digest_size=8).hexdigest())


def feed_call(rules: Rules, now: int, user_id: int, sources: FeedSources) -> Call:
    """Return the call that builds a person's feed. It does nothing if Redis has a fresh feed."""
    followed = sources.people[:FEED_PEOPLE]
    return BUILD_FEED(
        (
            feed_key(user_id, sources),
            keys.feeds(),
            keys.generation(keys.RANK_TAG),
            keys.ranking(Order.HOT),
            *(keys.ranking(Order.HOT, name) for name in sources.groups),
            *map(keys.author, followed),
        ),
        rules.mix_seconds,
        now,
        MAX_FEEDS,
        FEED_LENGTH,
        len(sources.groups),
        _share(GROUP_POSTS, ALL_GROUP_POSTS, len(sources.groups)),
        _share(PERSON_POSTS, ALL_PERSON_POSTS, len(followed)),
    )


def _share(most: int, together: int, sources: int) -> int:
    """Return how many posts each source may add to a feed.

    `sources` is the number of followed groups, or of followed people. Each source may add at most
    `most` posts, and all sources together at most `together` posts.
    """
    return min(most, together // max(1, sources))
