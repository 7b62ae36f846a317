"""Corrupts data that the server stores, as an accident might."""

from redis import Redis

from voting import keys
from voting.redis.encoding import SEPARATOR, row_parts, tally_parts
from voting.types import Target


def miscount(redis: Redis, on: Target, *, up: int = 0, down: int = 0) -> None:
    """Add votes to the tally of a post or comment in Redis, but no voters."""
    tally = tally_parts(str(redis.hget(keys.target(on), "tally")))
    redis.hset(keys.target(on), "tally", f"{tally.up + up} {tally.down + down} {tally.last}")


def misstate(redis: Redis, post_id: int, *, earlier: int = 0, card: str = "") -> None:
    """Corrupt a post in Redis: make it older by `earlier` seconds, or replace its card.

    The card has the title, author and link of the post.
    """
    row = row_parts(str(redis.hget(keys.post(post_id), "row")))
    parts = (row.posted_at - earlier, " ".join(row.groups), row.comments, card or row.card)
    redis.hset(keys.post(post_id), "row", SEPARATOR.join(map(str, parts)))


def take_away(redis: Redis, post_id: int) -> None:
    """Make Redis treat a post as retracted, as after its author has deleted it."""
    redis.hset(keys.post(post_id), "gone", str(redis.hget(keys.post(post_id), "row")))
    redis.hdel(keys.post(post_id), "row")
