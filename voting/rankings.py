"""Rankings: pages of the site or a group, and why a post is where it is."""

from collections.abc import Iterable, Sequence
from typing import Any

from voting import keys, rows, scripts
from voting.client import Store
from voting.errors import UnknownTarget
from voting.ground import member, row_patterns
from voting.scores import hot_score, votes_to_pass
from voting.scripts import Call
from voting.types import Direction, Order, Page, Rules, Standing, Target

LISTING = scripts.load("listing")
EXPLAIN = scripts.load("explain")
SWEEP = scripts.load("sweep")
SPANS = {Order.TOP_DAY: 86_400, Order.TOP_WEEK: 7 * 86_400, Order.TOP_MONTH: 30 * 86_400}
"""Seconds a post stays in the rankings of a past span."""
SWEPT_AT_ONCE = 2_000
RETRACTED = 100
"""A ranking less than 1 / 100 below its limit may have dropped posts before some were retracted."""


def sweeps(order: Order, scopes: Iterable[str | None], now: int) -> list[Call]:
    """Return the calls that take out what is too old for a span; none for other orders."""
    if order not in SPANS:
        return []
    return [
        SWEEP(
            (keys.ranking(order, scope), keys.ranking(Order.NEW, scope), keys.swept()),
            now - SPANS[order],
            SWEPT_AT_ONCE,
        )
        for scope in scopes
    ]


def read(
    store: Store,
    rules: Rules,
    now: int,
    key: str,
    number: int,
    *,
    viewer: int | None,
    direction: Direction,
    before: Iterable[Call] = (),
) -> Page:
    """Return a page of the ranking in `key`; past the end it has no rows. One round trip.

    `before` are calls to make on the way: sweeping a span, building a mix.
    """
    start = (number - 1) * rules.page_size
    call = LISTING(
        (key, keys.generation(keys.RANK_TAG)),
        *row_patterns(viewer),
        start,
        start + rules.page_size - 1,
        int(direction is Direction.DESC),
    )
    reply = store.run(*before, call)[-1]
    found = rows.decode(rules, now, viewer, reply)
    fullness = rules.ranking_limit - rules.ranking_limit // RETRACTED
    return Page(found, number, rules.page_size, reply[0], reply[0] >= fullness)


def explain_call(post_id: int) -> Call:
    """Return the call that tells where a post stands in `hot`."""
    return EXPLAIN(
        (keys.post(post_id), keys.ranking(Order.HOT), keys.generation(keys.RANK_TAG)),
        member(post_id),
    )


def decode_standing(rules: Rules, post_id: int, reply: Sequence[Any] | None) -> Standing:
    """Return the standing in a reply of `explain.lua`. Raises UnknownTarget."""
    if reply is None:
        raise UnknownTarget(Target(post_id))
    posted_at, up, down = (int(text) for text in reply[:3])
    total, rank, above, above_score = reply[3:]
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
    )


def standings(store: Store, rules: Rules, post_ids: Sequence[int]) -> dict[int, Standing]:
    """Return where posts stand, without unknown ones. One round trip."""
    replies = store.run(*(explain_call(post_id) for post_id in post_ids)) if post_ids else []
    return {
        post_id: decode_standing(rules, post_id, reply)
        for post_id, reply in zip(post_ids, replies, strict=True)
        if reply is not None
    }
