"""Keys of a person. `{uNN}` (NN = user id mod 64) is their hash tag."""

SHARDS = 64

TAG_PATTERN = "{u%02d}"
USER_PATTERN = TAG_PATTERN + ":user:%d"
"""Pattern of the beginning of every key of a person; scripts fill in shard and user id."""

SAVED, HIDDEN, SEEN, UNREAD = ":saved", ":hidden", ":seen", ":unread"
"""The ends of the keys of a person that listings read; before them is the key `user`."""

LIKED = ":liked"
"""The end of the key of the posts that a person voted up; before it is the key `user`."""

EVERYBODY = "{u[0-9][0-9]}:user:*"
"""Pattern with which SCAN finds the keys of all people."""
BEGINNING = "{u"
"""The beginning of every key of a person, and of no other key."""


def tags() -> tuple[str, ...]:
    """Return every hash tag of people. Each has a key `generation`."""
    return tuple(TAG_PATTERN % number for number in range(SHARDS))


def tag(user_id: int) -> str:
    """Return the hash tag of a person."""
    return TAG_PATTERN % (user_id % SHARDS)


def user(user_id: int) -> str:
    """HASH of counters: posts, comments, likes_given, karma."""
    return USER_PATTERN % (user_id % SHARDS, user_id)


def follows(user_id: int) -> str:
    """ZSET of the ids of people that a person follows, by time (s)."""
    return f"{user(user_id)}:follows"


def fans(user_id: int) -> str:
    """ZSET of the ids of a person's followers, by time (s)."""
    return f"{user(user_id)}:fans"


def group_follows(user_id: int) -> str:
    """ZSET of the names of groups that a person follows, by time (s)."""
    return f"{user(user_id)}:groups"


def hidden_groups(user_id: int) -> str:
    """SET of the names of groups that a person hides."""
    return f"{user(user_id)}:hidden:groups"


def saved(user_id: int) -> str:
    """ZSET of the ids of posts that a person saved, by time (s)."""
    return user(user_id) + SAVED


def hidden(user_id: int) -> str:
    """ZSET of the ids of posts that a person hid, by time (s)."""
    return user(user_id) + HIDDEN


def liked(user_id: int) -> str:
    """ZSET of the ids of the last 200 posts that a person voted up, by time of the vote (s)."""
    return user(user_id) + LIKED


def viewed(user_id: int) -> str:
    """ZSET of the ids of the last 60 posts that a person opened, by time (s). Lives 30 days."""
    return f"{user(user_id)}{KEPT[0]}"


def seen(user_id: int) -> str:
    """HASH: post id -> "time comments since" for the posts in `viewed`; lives as long as that key.
    The three numbers: when (s) the person last opened the thread, how many comments it had then,
    and when (s) their previous visit was (0 if there was none).
    """
    return user(user_id) + SEEN


def unread(user_id: int) -> str:
    """HASH of about 100 bytes: type of inbox item -> number of unread items, if not 0. The field
    `@` has the time (µs) when they were counted.
    """
    return user(user_id) + UNREAD


REBUILT = (":follows", ":fans", ":groups", ":hidden:groups", SAVED, HIDDEN, LIKED, UNREAD)
"""The ends of a person's keys that a rebuild deletes and fills again from SQL."""

KEPT = (":viewed", SEEN)
"""The ends of a person's keys that SQL can't fill again, so that a rebuild doesn't delete them."""

VIEWED_LIFE = 30 * 86_400
"""Seconds after which a post leaves a person's list of viewed posts."""
