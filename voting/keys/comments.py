"""Keys of a post's comments, with the post's hash tag; `voting.keys` has those of targets."""

from voting import keys

COMMENT_SUFFIX = ":comment:"
"""What follows `shard_tag` in the key of a comment; its id follows."""


def beginning(post_id: int) -> str:
    """Return the beginning of the keys of a post's comments; the comment's id follows."""
    return keys.shard_tag(keys.shard(post_id)) + COMMENT_SUFFIX


def latest(post_id: int) -> str:
    """ZSET of comment ids by id: the newest 5,000 of a post that are not deleted, without gaps.
    Lives 30 days after the last read or write.
    """
    return f"{keys.post(post_id)}:latest"


def latest_texts(post_id: int) -> str:
    """HASH: comment id -> card, for the members of `latest`; lives as long.

    Once the list is filled, `floor` is the id from which on no comment is missing. Before that,
    `filler` and `filler_until` say who fills it until when, and `least` is the floor it will have
    at least.
    """
    return f"{keys.post(post_id)}:latest:texts"


LATEST_KEPT = 5_000
LATEST_LIFE = 30 * 86_400
"""Seconds without a read or write after which the list expires."""
