"""Keys of a person. `{uNN}` (NN = user id mod 64) is their hash tag."""

SHARDS = 64

TAG_PATTERN = "{u%02d}"
USER_PATTERN = TAG_PATTERN + ":user:%d"
"""Pattern of what every key of a person begins with, from shard and user id."""

SAVED, HIDDEN, SEEN, UNREAD = ":saved", ":hidden", ":seen", ":unread"
"""What follows `user` in the keys that listings read."""

LIKED = ":liked"
"""What follows `user` in the key of what a person voted up, the only list that votes change."""

EVERYBODY = "{u[0-9][0-9]}:user:*"
"""What every key of every person looks like to SCAN."""
BEGINNING = "{u"
"""What every key of every person begins with, and no other."""


def tags() -> tuple[str, ...]:
    """Return every hash tag of people; each holds a `generation`."""
    return tuple(TAG_PATTERN % number for number in range(SHARDS))


def tag(user_id: int) -> str:
    """Return the hash tag of a person."""
    return TAG_PATTERN % (user_id % SHARDS)


def user(user_id: int) -> str:
    """HASH of counters: posts, comments, likes_given, karma; follows and fans count themselves."""
    return USER_PATTERN % (user_id % SHARDS, user_id)


def follows(user_id: int) -> str:
    """ZSET of the people a person follows, by the time (s) they began to."""
    return f"{user(user_id)}:follows"


def fans(user_id: int) -> str:
    """ZSET of the people who follow a person, by the time (s) they began to."""
    return f"{user(user_id)}:fans"


def group_follows(user_id: int) -> str:
    """ZSET of the names of groups a person follows, by time (s)."""
    return f"{user(user_id)}:groups"


def hidden_groups(user_id: int) -> str:
    """SET of the names of groups a person hides from lists."""
    return f"{user(user_id)}:hidden:groups"


def saved(user_id: int) -> str:
    """ZSET of the ids of posts a person saved, by time (s)."""
    return user(user_id) + SAVED


def hidden(user_id: int) -> str:
    """ZSET of the ids of posts a person hid, by time (s)."""
    return user(user_id) + HIDDEN


def liked(user_id: int) -> str:
    """ZSET of the ids of the last 200 posts a person voted up, by the time (s) of the vote."""
    return user(user_id) + LIKED


def viewed(user_id: int) -> str:
    """ZSET of the ids of the last 60 posts a person opened, by time (s). Lives 30 days."""
    return f"{user(user_id)}{KEPT[0]}"


def seen(user_id: int) -> str:
    """HASH: post id -> "time (s) comments since": when a person last opened its thread, with how
    many comments, and when they had opened it before that visit (s; 0: never).

    The members of `viewed`, as long.
    """
    return user(user_id) + SEEN


def unread(user_id: int) -> str:
    """HASH: type of inbox item -> how many are unread; without those that are 0. Under `@`, when
    they were counted (µs). About 100 bytes.
    """
    return user(user_id) + UNREAD


REBUILT = (":follows", ":fans", ":groups", ":hidden:groups", SAVED, HIDDEN, LIKED, UNREAD)
"""Endings of the keys that a rebuild drops and fills from SQL."""

KEPT = (":viewed", SEEN)
"""Endings of the keys that SQL could not fill again."""

VIEWED_LIFE = 30 * 86_400
"""Seconds after which what a person viewed is forgotten."""
