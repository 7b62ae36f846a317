"""Rankings: pages of the site or a group, and why a post is where it is."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from voting import keys
from voting.errors import UnknownTarget
from voting.keys import people
from voting.redis import scripts
from voting.redis.arguments import cursor_arguments, member, row_patterns
from voting.redis.connection import Store
from voting.redis.readings import Reading
from voting.redis.scripts import Call
from voting.redis.stored import row_parts, tally_parts
from voting.scores import hot_score, one_vote, votes_to_pass
from voting.topics import rows
from voting.topics.unread import decode_unread
from voting.types import Cursor, Direction, Hiding, Order, Page, Rules, Target
from voting.types.standing import Standing

LISTING = scripts.load("listing")
EXPLAIN = scripts.load("explain")
SWEEP = scripts.load("sweep")
SPANS = {Order.TOP_DAY: 86_400, Order.TOP_WEEK: 7 * 86_400, Order.TOP_MONTH: 30 * 86_400}
"""Seconds a post stays in the `top` of a past span."""
SWEPT_AT_ONCE = 700
"""Posts that one step looks at, so that it stays short."""
RETRACTED = 100
"""A ranking less than 1 / 100 below its limit may have dropped posts before some were retracted."""


def nearly_full(rules: Rules) -> int:
    """Return the number of posts from which on a ranking may have dropped others. No round trip."""
    return rules.ranking_limit - rules.ranking_limit // RETRACTED


def sweeping(order: Order, scopes: Iterable[str | None], now: int) -> Reading[bool]:
    """Return what moves posts that are too old out of the bands an order lists, and answers
    whether there may be more of them; it asks nothing for other orders.

    A post that nobody looked for may pass several bands, the youngest first.
    """
    passed = keys.BANDS.index(order) + 1 if order in SPANS else 0
    calls = [
        SWEEP(
            (
                keys.ranking(band, scope),
                keys.ranking(older, scope),
                keys.ranking(Order.NEW, scope),
                keys.SWEPT,
            ),
            now - SPANS[Order(band)],
            SWEPT_AT_ONCE,
        )
        for scope in scopes
        for band, older in list(pairwise(keys.BANDS))[:passed]
    ]
    return Reading(calls, any)


def hidden_keys(viewer: int | None, scope: object, hiding: Hiding | None) -> tuple[str, str, str]:
    """Return the keys of what a viewer does not want in a listing; "" for what does not count.

    A group that was asked for is shown even where its posts are hidden elsewhere.
    """
    if viewer is None or hiding is None:
        return ("", "", "")
    return (
        people.hidden(viewer) if hiding.posts else "",
        people.hidden_groups(viewer) if hiding.posts and scope is None else "",
        people.seen(viewer) if hiding.read else "",
    )


def reading(
    rules: Rules,
    now: int,
    rankings: tuple[str, ...],
    number: int,
    *,
    viewer: int | None,
    direction: Direction,
    cursor: Cursor | None = None,
    hidden: tuple[str, str, str] = ("", "", ""),
    before: Sequence[Call] = (),
) -> Reading[Page]:
    """Return what reads a page of rankings read as one; past the end it has no rows.

    It starts after the place of `cursor`, if there is one. `before` are calls to make on the way.
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
        total, after, found, unread, last = replies[-1]
        shown = rows.decode(rules, now, viewer, found)
        waiting = None if viewer is None else decode_unread(viewer, unread).total
        looked = Cursor(float(last[1]), int(last[0])) if last else None
        return Page(shown, number, rules.page_size, total, after, looked, total >= full, waiting)

    return Reading((*before, call), page)


def explaining(rules: Rules, post_id: int) -> Reading[Standing]:
    """Return what tells where a post stands in `hot`; its answer raises UnknownTarget."""
    asked = (explain_call(post_id),)
    return Reading(asked, lambda replies: decode_standing(rules, post_id, replies[0]))


def explain_call(post_id: int) -> Call:
    """Return the call that tells where a post stands in `hot`."""
    return EXPLAIN(
        (keys.post(post_id), keys.ranking(Order.HOT), keys.generation(keys.RANK_TAG)),
        member(post_id),
        keys.POST_PATTERN,
        keys.SHARDS,
    )


def decode_standing(rules: Rules, post_id: int, reply: Sequence[Any] | None) -> Standing:
    """Return the standing in a reply of `explain.lua`. Raises UnknownTarget."""
    if reply is None:
        raise UnknownTarget(Target(post_id))
    row, tally, total, rank, above, above_score, row_above, vote_seconds = reply
    rules = rules if vote_seconds is None else rules.weighing(float(vote_seconds))
    posted_at, (up, down, _) = row_parts(row).posted_at, tally_parts(tally)
    points = up - down
    to_next = None
    if above is not None:
        newer = post_id > int(above)
        to_next = votes_to_pass(rules, posted_at, points, float(above_score), wins_ties=newer)
    return Standing(
        post_id,
        posted_at,
        up,
        down,
        hot_score(rules, posted_at, points),
        None if rank is None else rank + 1,
        total,
        None if above is None else int(above),
        to_next,
        None if row_above is None else row_parts(row_above).card,
        one_vote(rules, points),
    )


def standings(store: Store, rules: Rules, post_ids: Sequence[int]) -> dict[int, Standing]:
    """Return where posts stand, without unknown ones. One round trip."""
    replies = store.run(*(explain_call(post_id) for post_id in post_ids)) if post_ids else []
    return {
        post_id: decode_standing(rules, post_id, reply)
        for post_id, reply in zip(post_ids, replies, strict=True)
        if reply is not None
    }
