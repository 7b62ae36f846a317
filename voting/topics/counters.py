"""Counters: views of posts, each visitor once a UTC day, and what a person did and received.

Reached as `VotingService.counters`; all methods that ask Redis may raise StoreUnavailable.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import islice

from voting import keys
from voting.keys import daily, people
from voting.redis import scripts
from voting.redis.arguments import member
from voting.redis.connection import Store
from voting.redis.readings import Reading, read
from voting.redis.scripts import Call
from voting.topics.days import day_of, ends
from voting.topics.person_lists import reading
from voting.types import Rules
from voting.types.counters import PersonCounts

VIEW = scripts.load_ruled("view")
FILL = scripts.load("fill_views")
BATCH = 500
"""Posts or people written in one round trip."""
FIELDS = ("posts", "comments", "likes_given", "karma")
"""What the hash of a person counts; follows and fans are the lengths of their lists."""


class Counters:
    """What is counted of posts and people of one site."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    # Views

    def view_call(self, post_id: int, visitor: str) -> Call:
        """Return the call that counts a view, once a visitor and UTC day. No round trip.

        Its reply says whether it was counted; of an unknown or retracted post nothing is. A day's
        visitors are an estimate (HyperLogLog, 12 kB a post at most): right for dozens, and within
        a hundredth or two of the truth for any number.
        """
        now = self._now()
        day = day_of(now)
        shard = keys.shard(post_id)
        return VIEW(self._rules)(
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
            ends(day) + daily.VISITORS_LIFE,
        )

    def view(self, post_id: int, visitor: str) -> bool:
        """Count a view by itself, and say whether it was. One round trip."""
        return bool(self._store.run(self.view_call(post_id, visitor))[0])

    def viewed(self, day: date) -> dict[int, int]:
        """Return the views of every post that was viewed on a day. One round trip.

        Empty once the day has been over for two days.
        """
        with self._store.pipeline() as pipeline:
            for shard in range(keys.SHARDS):
                pipeline.hgetall(daily.viewed_posts(shard, day.isoformat()))
            found = pipeline.execute()
        return {int(post_id): int(n) for one in found for post_id, n in one.items()}

    def fill_day(self, day: date, views: Mapping[int, int]) -> None:
        """Bring back the views of a day, where not more are known by now: the archive goes on from
        them. One round trip.
        """
        ending = ends(day) + daily.VISITORS_LIFE
        counted: defaultdict[str, list[int]] = defaultdict(list)
        for post_id, count in views.items():
            counted[daily.viewed_posts(keys.shard(post_id), day.isoformat())] += post_id, count
        self._store.run(*(FILL((key,), ending, *pairs) for key, pairs in counted.items()))

    # People

    def person(self, user_id: int) -> PersonCounts | None:
        """Return the counters of a person, or None where nobody has set them. One round trip.

        Raises StoreEmpty where Redis has not been filled.
        """
        return read(self._store, person(user_id))

    def set_people(self, counts: Mapping[int, PersonCounts]) -> None:
        """Write the counters of people, apart from follows and fans. One round trip for 500."""
        remaining = iter(counts.items())
        while batch := list(islice(remaining, BATCH)):
            with self._store.pipeline() as pipeline:
                for user_id, counted in batch:
                    values = ((name, getattr(counted, name)) for name in FIELDS)
                    pipeline.hset(people.user(user_id), items=[x for pair in values for x in pair])
                pipeline.execute()


def person(user_id: int) -> Reading[PersonCounts | None]:
    """Return what reads the counters of a person; its answer is None where nobody has set them."""

    def counts(counted: Sequence[str], follows: int, fans: int) -> PersonCounts | None:
        if None in counted:
            return None
        posts, comments, likes_given, karma = map(int, counted)
        return PersonCounts(posts, comments, likes_given, karma, follows, fans)

    return reading(
        {user_id},
        counts,
        ("HMGET", people.user(user_id), *FIELDS),
        ("ZCARD", people.follows(user_id)),
        ("ZCARD", people.fans(user_id)),
    )
