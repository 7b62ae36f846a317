"""Views of posts: each visitor counts once per post and UTC day."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date

from voting import keys
from voting.keys import daily
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import member
from voting.redis.scripts import Call
from voting.types import Rules

VIEW = scripts.load_ruled("view")
FILL = scripts.load("fill_views")


class Views:
    """The views of all posts. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def count(self, post_id: int, visitor: str) -> bool:
        """Count a view; return whether the view counted. One round trip.

        A view doesn't count if the post is unknown, or if the visitor was already counted today.
        """
        return bool(self._store.run(view_call(self._rules, self._now(), post_id, visitor))[0])

    def of_day(self, day: date) -> dict[int, int]:
        """Return the views of each post on a UTC day. One round trip.

        Redis has no views of a day that ended more than two days ago.
        """
        with self._store.pipeline() as pipeline:
            for shard in range(keys.SHARDS):
                pipeline.hgetall(daily.viewed_posts(shard, day.isoformat()))
            replies = pipeline.execute()
        return {int(post_id): int(n) for reply in replies for post_id, n in reply.items()}

    def fill_day(self, day: date, views: Mapping[int, int]) -> None:
        """Write the numbers of views that posts had on a day to Redis. One round trip.

        If Redis already has a higher number for a post, that number stays.
        """
        end = daily.day_end(day) + daily.VISITORS_LIFE
        by_key: defaultdict[str, list[int]] = defaultdict(list)
        for post_id, count in views.items():
            by_key[daily.viewed_posts(keys.shard(post_id), day.isoformat())] += post_id, count
        self._store.run(*(FILL((key,), end, *pairs) for key, pairs in by_key.items()))


def view_call(rules: Rules, now: int, post_id: int, visitor: str) -> Call:
    """Return the call that counts a view. The reply is 1 if the view counted, else 0.

    A HyperLogLog of at most 12 kB remembers who viewed a post on a day. The number of views is
    exact for dozens of visitors, and within one or two percent for more.
    """
    day = daily.day_of(now)
    shard = keys.shard(post_id)
    return VIEW(rules)(
        (
            keys.post(post_id),
            daily.visitors(post_id, day.isoformat()),
            daily.viewed_posts(shard, day.isoformat()),
            keys.generation(keys.shard_tag(shard)),
            keys.generation(keys.RANK_TAG),
        ),
        now,
        visitor,
        post_id,
        member(post_id),
        daily.day_end(day) + daily.VISITORS_LIFE,
    )
