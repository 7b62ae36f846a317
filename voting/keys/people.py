"""Keys of a person. The hash tag of a person is `{uNN}` (NN = user id mod 64)."""

SHARDS = 64

TAG_PATTERN = "{u%02d}"
USER_PATTERN = TAG_PATTERN + ":user:%d"
"""Format pattern of the key `user`. Scripts insert the shard and the user id."""

SAVED, HIDDEN, SEEN, UNREAD = ":saved", ":hidden", ":seen", ":unread"
"""Suffixes that, added to the key `user`, give the keys of a person that listings read."""

LIKED = ":liked"
"""Suffix that, added to the key `user`, gives the key `liked`."""

EVERYBODY = "{u[0-9][0-9]}:user:*"
"""SCAN pattern of the keys of all people."""
BEGINNING = "{u"
"""The beginning of the keys of people, and of no other keys."""


def tags() -> tuple[str, ...]:
    """Return all hash tags used in keys of people."""
    return tuple(TAG_PATTERN % number for number in range(SHARDS))


def tag(user_id: int) -> str:
    """Return the hash tag in the keys of a person."""
    return TAG_PATTERN % (user_id % SHARDS)


def user(user_id: int) -> str:
    """HASH of a person's counters: posts, comments, likes_given, karma."""
    return USER_PATTERN % (user_id % SHARDS, user_id)


def follows(user_id: int) -> str:
    """ZSET of the ids of people that a person follows, by the time (seconds) of the follow."""
    return f"{user(user_id)}:follows"


def fans(user_id: int) -> str:
    """ZSET of the ids of a person's followers. The score is the time (seconds) of the follow."""
    return f"{user(user_id)}:fans"


def group_follows(user_id: int) -> str:
    """ZSET of the names of groups that a person follows, by the time (seconds) of the follow."""
    return f"{user(user_id)}:groups"


def hidden_groups(user_id: int) -> str:
    """SET of the names of groups that a person hides."""
    return f"{user(user_id)}:hidden:groups"


def saved(user_id: int) -> str:
    """ZSET of the ids of posts that a person saved. The score is the time (seconds) of saving."""
    return user(user_id) + SAVED


def hidden(user_id: int) -> str:
    """ZSET of the ids of posts that a person hid. The score is the time (seconds) of hiding."""
    return user(user_id) + HIDDEN


def liked(user_id: int) -> str:
    """ZSET of the ids of the last 200 posts that a person voted up.

    The score is the time (seconds) of the vote.
    """
    return user(user_id) + LIKED


def viewed(user_id: int) -> str:
    """ZSET of the ids of the last 60 posts that a person opened. Lives 30 days.

    The score of an id is the time when the person opened the post (seconds).
    """
    return f"{user(user_id)}:viewed"


def seen(user_id: int) -> str:
    """HASH: post id -> numbers, such as "1700000600 12 0", about the last visit to the thread.

    These are the time of the last visit (seconds), the number of comments at that time, and the
    time of the visit before, or 0. Has the same posts as the key `viewed`, and expires at the same
    time.
    """
    return user(user_id) + SEEN


def unread(user_id: int) -> str:
    """HASH: type of inbox item -> number of unread items. About 100 bytes.

    Types without unread items have no field. The field `@` contains the time (µs) when the items
    were counted.
    """
    return user(user_id) + UNREAD


REBUILT = (":follows", ":fans", ":groups", ":hidden:groups", SAVED, HIDDEN, LIKED, UNREAD)
"""Ends of a person's keys that a rebuild deletes and fills again from SQL."""

VIEWED_LIFE = 30 * 86_400
"""Seconds after which a post leaves a person's list of viewed posts."""
