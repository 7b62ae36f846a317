"""Finds the posts in rankings and groups, and removes posts that should not be there."""

from collections.abc import Iterator, Sequence
from typing import Any

from voting import keys
from voting.redis.connection import Store
from voting.redis.encoding import member
from voting.types import Order

NAMES = (Order.HOT, Order.NEW, Order.ACTIVE, Order.VIEWS, *keys.BANDS)
BATCH = 1_000


class ListedPosts:
    """The posts in the rankings of a group, or of the whole site if `group` is None."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def scan(self, group: str | None) -> Iterator[int]:
        """Yield the posts in a group's rankings and in the Redis set of the group's posts.

        If `group` is None, yields the posts in the site's rankings. A post may be yielded several
        times. One round trip per 1,000 posts.
        """
        for name in NAMES:
            yield from (int(one) for one, _score in self._scan("ZSCAN", keys.ranking(name, group)))
        if group is not None:
            yield from map(int, self._scan("SSCAN", keys.group(group)))

    def _scan(self, command: str, key: str) -> Iterator[Any]:
        cursor: int = 0
        while True:
            cursor, found = self._store.command(command, key, cursor, "COUNT", BATCH)
            yield from found
            if not cursor:
                return

    def still_listed(self, group: str | None, post_ids: Sequence[int]) -> list[int]:
        """Return the posts that are still in a group's rankings or in its set of posts.

        If `group` is None, return the posts that are in the site's rankings. One round trip.
        """
        members = [member(post_id) for post_id in post_ids]
        with self._store.pipeline() as pipeline:
            for name in NAMES:
                pipeline.zmscore(keys.ranking(name, group), members)
            if group is not None:
                pipeline.smismember(keys.group(group), list(map(str, post_ids)))
            scores = pipeline.execute()
            in_group = scores.pop() if group is not None else [0] * len(post_ids)
        ranked = [any(score is not None for score in found) for found in zip(*scores, strict=True)]
        return [one for one, *listed in zip(post_ids, ranked, in_group, strict=True) if any(listed)]

    def remove(self, group: str | None, post_ids: Sequence[int]) -> None:
        """Remove posts from every ranking of a group, and from the Redis set of the group's posts.

        If `group` is None, remove the posts from every ranking of the whole site. One round trip.
        """
        members = [member(post_id) for post_id in post_ids]
        with self._store.pipeline() as pipeline:
            for name in NAMES:
                pipeline.zrem(keys.ranking(name, group), *members)
            if group is not None:
                pipeline.srem(keys.group(group), *map(str, post_ids))
            pipeline.execute()
