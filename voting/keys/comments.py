"""Names of the Redis keys for all comments of a post. They have the same hash tag as the post.

`voting.keys.target` returns the key of a single comment.
"""

from voting import keys

COMMENT_SUFFIX = ":comment:"
"""In the key of a comment, the text between the hash tag and the comment id."""


def beginning(post_id: int) -> str:
    """Return the part of a comment's key before the comment id."""
    return keys.shard_tag(keys.shard(post_id)) + COMMENT_SUFFIX


def latest(post_id: int) -> str:
    """ZSET of the ids of a post's newest comments that aren't deleted, each with its id as score.

    Contains up to 5,000 comments. Lives for 30 days after the last read or change.
    """
    return f"{keys.post(post_id)}:latest"


def latest_texts(post_id: int) -> str:
    """HASH: comment id -> the comment's card (a text from the caller), for comments in `latest`.

    Lives as long as `latest`. Other fields:

    - `floor`: an id; `latest` contains every comment with this id or a higher id; missing until
      `latest` has been filled from SQL
    - `filler`, `filler_until`: which process may fill `latest` from SQL, and until when
    - `least`: the lowest id that `floor` may get, since `latest` had no room for lower ids; deleted
      when `floor` is set
    """
    return f"{keys.post(post_id)}:latest:texts"


LATEST_KEPT = 5_000
LATEST_LIFE = 30 * 86_400
"""Seconds after the last read or change until a list of newest comments expires."""
