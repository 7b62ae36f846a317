"""Keys of a post's comments, with the post's hash tag. The key of one comment is
`voting.keys.target`.
"""

from voting import keys

COMMENT_SUFFIX = ":comment:"
"""The text between the hash tag and the id in the key of a comment."""


def beginning(post_id: int) -> str:
    """Return the beginning of the keys of a post's comments; the id of a comment follows."""
    return keys.shard_tag(keys.shard(post_id)) + COMMENT_SUFFIX


def latest(post_id: int) -> str:
    """ZSET of comment ids by id: the newest 5,000 of a post that are not deleted, without gaps.
    Lives 30 days after the last read or write.
    """
    return f"{keys.post(post_id)}:latest"


def latest_texts(post_id: int) -> str:
    """HASH: comment id -> card, for the members of `latest`; lives as long.

    Once the list `latest` is filled, the field `floor` is the id from which on no comment is
    missing. Before that, `filler` and `filler_until` say which process fills the list and until
    when, and `least` is the lowest id that `floor` may get.
    """
    return f"{keys.post(post_id)}:latest:texts"


LATEST_KEPT = 5_000
LATEST_LIFE = 30 * 86_400
"""Seconds without a read or write after which a post's list of newest comments expires."""
