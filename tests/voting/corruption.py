"""Corrupts data that the server stores, as an accident might."""

from redis import Redis

from voting import keys
from voting.redis.encoding import SEPARATOR, row_parts, tally_parts
from voting.types import Target


def miscount(redis: Redis, on: Target, *, up: int = 0, down: int = 0) -> None:
    """Increase the vote counts of a post or comment in Redis without adding voters."""
    tally = tally_parts(str(redis.hget(keys.target(on), "tally")))
    redis.hset(keys.target(on), "tally", f"{tally.up + up} {tally.down + down} {tally.last}")


def misstate(redis: Redis, post_id: int, *, earlier: int = 0, card: str = "") -> None:
    """Corrupt a post in Redis: make the post `earlier` seconds older, or replace its card."""
    row = row_parts(str(redis.hget(keys.post(post_id), "row")))
    parts = (row.posted_at - earlier, " ".join(row.groups), row.comments, card or row.card)
    redis.hset(keys.post(post_id), "row", SEPARATOR.join(map(str, parts)))


def take_away(redis: Redis, post_id: int) -> None:
    """Mark a post in Redis as retracted, as if its author had deleted the post."""
    redis.hset(keys.post(post_id), "gone", str(redis.hget(keys.post(post_id), "row")))
    redis.hdel(keys.post(post_id), "row")
