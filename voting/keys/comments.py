"""Keys of a post's comments. They have the post's hash tag.

The key of a single comment is `voting.keys.target`.
"""

from voting import keys

COMMENT_SUFFIX = ":comment:"
"""The text between the post's hash tag and the comment's id in the key of a comment."""


def beginning(post_id: int) -> str:
    """Return the beginning of the keys of a post's comments; the end is the id of the comment."""
    return keys.shard_tag(keys.shard(post_id)) + COMMENT_SUFFIX


def latest(post_id: int) -> str:
    """ZSET of the ids of a post's newest comments, except deleted ones: up to 5,000, with no
    comment between two of them missing. The id is also the score. Lives until 30 days after it was
    last read or changed.
    """
    return f"{keys.post(post_id)}:latest"


def latest_texts(post_id: int) -> str:
    """HASH: comment id -> card, for the members of `latest`. Lives as long as `latest`.

    Once `latest` is filled, the field `floor` has an id: `latest` has every comment with this id or
    a higher id. Before that, `filler` and `filler_until` say which process fills the list and until
    when, and `floor` will be `least` or higher.
    """
    return f"{keys.post(post_id)}:latest:texts"


LATEST_KEPT = 5_000
LATEST_LIFE = 30 * 86_400
"""A post's list of newest comments expires this many seconds after it was last read or changed."""
