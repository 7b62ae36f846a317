"""A plain voting site on Redis, for comparison: chapter 1 of the book Redis in Action.

Each command takes a separate round trip. An article is a hash, a ranking is a sorted set of article
names, and the voters are a set of user names. A group's listing is an intersection of sets, cached
for a minute.
"""

from time import time
from typing import Any

from redis import Redis

from voting.types import PostRecord, Vote

WEEK = 7 * 86_400
WEIGHT = 432
PAGE_SIZE = 25
GROUP_SECONDS = 60

Article = dict[str, str | int]


class Seeds:
    """A voting site, built as in the book "Redis in Action".

    `redis` must be a client that returns text.
    """

    def __init__(self, redis: Redis) -> None:
        self.redis: Any = redis  # redis-py's annotations mix sync and async clients

    def load(self, records: list[PostRecord]) -> None:
        """Store articles with their votes, in one pipeline."""
        with self.redis.pipeline(transaction=False) as pipeline:
            for record in records:
                post, name = record.post, f"article:{record.post.id}"
                points = record.up - record.down
                article: Article = {
                    "card": post.card,
                    "poster": f"user:{post.author_id}",
                    "time": post.posted_at,
                    "votes": record.up,
                    "downs": record.down,
                }
                pipeline.hset(name, mapping=article)
                pipeline.zadd("time:", {name: post.posted_at})
                pipeline.zadd("score:", {name: post.posted_at + points * WEIGHT})
                if record.ups:
                    pipeline.sadd(f"voted:{post.id}", *(f"user:{one}" for one in record.ups))
                for group in post.groups:
                    pipeline.sadd(f"group:{group}", name)
            pipeline.execute()

    def upvote(self, user_id: int, article_id: int) -> bool:
        """Vote an article up, and return whether the vote was counted.

        Only a person's first vote on an article counts, and only within a week of its publication.
        Takes two to four round trips.
        """
        name = f"article:{article_id}"
        posted_at = self.redis.zscore("time:", name)
        if posted_at is None or posted_at < time() - WEEK:
            return False
        if not self.redis.sadd(f"voted:{article_id}", f"user:{user_id}"):
            return False
        self.redis.zincrby("score:", WEIGHT, name)
        self.redis.hincrby(name, "votes", 1)
        return True

    def change(self, user_id: int, article_id: int, vote: Vote) -> bool:
        """Set a person's vote to up, down or none, and return whether the vote has changed.

        The up voters and the down voters of an article are in separate sets. Takes three to five
        round trips.
        """
        posted_at = self.redis.zscore("time:", f"article:{article_id}")
        if posted_at is None or posted_at < time() - WEEK:
            return False
        user = f"user:{user_id}"
        ups, downs = f"voted:{article_id}", f"voted_down:{article_id}"
        if vote is Vote.UP:
            return self._take_side(article_id, user, ups, downs, 1)
        if vote is Vote.DOWN:
            return self._take_side(article_id, user, downs, ups, -1)
        if self.redis.srem(ups, user):
            self._count(article_id, -1, votes=-1)
        elif self.redis.srem(downs, user):
            self._count(article_id, 1, downs=-1)
        else:
            return False
        return True

    def _take_side(self, article_id: int, user: str, side: str, other: str, sign: int) -> bool:
        own, others = ("votes", "downs") if sign > 0 else ("downs", "votes")
        if self.redis.smove(other, side, user):
            self._count(article_id, 2 * sign, **{own: 1, others: -1})
        elif self.redis.sadd(side, user):
            self._count(article_id, sign, **{own: 1})
        else:
            return False
        return True

    def _count(self, article_id: int, points: int, **tallies: int) -> None:
        name = f"article:{article_id}"
        self.redis.zincrby("score:", WEIGHT * points, name)
        for field, change in tallies.items():
            self.redis.hincrby(name, field, change)

    def page(self, number: int, viewer: int, ranking: str = "score:") -> list[Article]:
        """Return a page of articles with the viewer's votes, in the order of a ranking.

        Takes 51 round trips.
        """
        start = (number - 1) * PAGE_SIZE
        found = []
        for name in self.redis.zrevrange(ranking, start, start + PAGE_SIZE - 1):
            article: Article = self.redis.hgetall(name)
            voters = f"voted:{name.partition(':')[2]}"
            article["voted"] = self.redis.sismember(voters, f"user:{viewer}")
            found.append(article)
        return found

    def group_page(self, group: str, number: int, viewer: int) -> list[Article]:
        """Return a page of a group's articles. The group's ranking is cached for a minute.

        Takes 52 or 54 round trips.
        """
        key = f"score:{group}"
        if not self.redis.exists(key):
            self.redis.zinterstore(key, [f"group:{group}", "score:"], aggregate="MAX")
            self.redis.expire(key, GROUP_SECONDS)
        return self.page(number, viewer, key)
