"""Records what listings show, so that a test can compare listings before and after a change."""

from collections.abc import Iterable
from typing import Any

from redis import Redis

from forum.queries.listings import listing
from voting.service import parse_mix
from voting.types import Direction, Order

MIXES = ("books+maths", "books&maths", "books~maths", "maths~books")


def snapshot(redis: Redis, slugs: Iterable[str], viewers: Iterable[int]) -> dict[str, Any]:
    """Return all listings for the first viewer, and the listing `new` for each other viewer."""
    for key in redis.scan_iter("*:mix:*"):
        redis.delete(key)
    first, *others = viewers
    found = {
        f"{scope} {order} {direction}": _rows(order, scope, first, direction)
        for scope in (None, *slugs, *map(parse_mix, MIXES))
        for order in Order
        for direction in Direction
    }
    for viewer in others:
        found[f"new to {viewer}"] = _rows(Order.NEW, None, viewer, Direction.DESC)
    return found


def _rows(order: Order, scope: Any, viewer: int, direction: Direction) -> list[object]:
    number = pages = 1
    rows: list[object] = []
    while number <= pages:
        found = listing(order, number, group=scope, viewer_id=viewer, direction=direction)
        assert not found.redis_down
        rows += found.page.rows
        number, pages = number + 1, found.page.pages
    return [found.page.total, *rows]
