"""Keys of a post's comments. They share the post's hash tag; `voting.keys` has those of targets."""

from voting import keys

COMMENT_SUFFIX = ":comment:"
"""What follows `shard_tag` in the key of a comment; its id follows."""


def beginning(post_id: int) -> str:
    """Return what the key of every comment of a post begins with; the comment's id follows."""
    return keys.shard_tag(keys.shard(post_id)) + COMMENT_SUFFIX


def latest(post_id: int) -> str:
    """ZSET of comment ids by id: the newest 5,000 of a post that are not deleted, without a gap.
    Lives 30 idle days.
    """
    return f"{keys.post(post_id)}:latest"


def latest_texts(post_id: int) -> str:
    """HASH: comment id -> what the flat page shows of it. The members of `latest`, as long.

    Beside them `floor`: the id from which on no comment is missing, once the list has been filled;
    before that who fills it until when (`filler`, `filler_until`), and the floor it will have at
    `least`.
    """
    return f"{keys.post(post_id)}:latest:texts"


LATEST_KEPT = 5_000
LATEST_LIFE = 30 * 86_400
"""Seconds without a read or write after which the newest comments are forgotten."""
