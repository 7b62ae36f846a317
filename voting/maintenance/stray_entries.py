"""What listings hold, whatever posts say, and taking out of them what should not be there."""

from collections.abc import Iterator, Sequence
from typing import Any

from voting import keys
from voting.redis.arguments import member
from voting.redis.connection import Store
from voting.types import Order

NAMES = (Order.HOT, Order.NEW, Order.ACTIVE, Order.VIEWS, *keys.BANDS)
SCANNED = 1_000


def listed_in(store: Store, group: str | None) -> Iterator[int]:
    """Yield the posts in every ranking of the site or a group, and in the group itself; some of
    them several times. A round trip a thousand.
    """
    for name in NAMES:
        yield from (int(spelled) for spelled, _ in _scan(store, "ZSCAN", keys.ranking(name, group)))
    if group is not None:
        yield from map(int, _scan(store, "SSCAN", keys.group(group)))


def _scan(store: Store, command: str, key: str) -> Iterator[Any]:
    cursor: int = 0
    while True:
        cursor, found = store.command(command, key, cursor, "COUNT", SCANNED)
        yield from found
        if not cursor:
            return


def still_listed(store: Store, group: str | None, post_ids: Sequence[int]) -> list[int]:
    """Return those of some posts that are in any of what `listed_in` looks at. One round trip."""
    members = [member(post_id) for post_id in post_ids]
    with store.pipeline() as pipeline:
        for name in NAMES:
            pipeline.zmscore(keys.ranking(name, group), members)
        if group is not None:
            pipeline.smismember(keys.group(group), list(map(str, post_ids)))
        scores = pipeline.execute()
        within = scores.pop() if group is not None else [0] * len(post_ids)
    ranked = [any(score is not None for score in found) for found in zip(*scores, strict=True)]
    return [one for one, *there in zip(post_ids, ranked, within, strict=True) if any(there)]


def unlist(store: Store, group: str | None, post_ids: Sequence[int]) -> None:
    """Take posts out of all that `listed_in` looks at. One round trip."""
    members = [member(post_id) for post_id in post_ids]
    with store.pipeline() as pipeline:
        for name in NAMES:
            pipeline.zrem(keys.ranking(name, group), *members)
        if group is not None:
            pipeline.srem(keys.group(group), *map(str, post_ids))
        pipeline.execute()
