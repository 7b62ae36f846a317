"""Keys of what is counted by the day: visitors, boards, activity, and sliding windows."""

from voting import keys

ACTIVITY_BITS = 1 << 20
"""People in one piece of a day's bitmap: 128 kB, so that no BITOP takes long."""
ACTIVITY_LIFE = 400 * 86_400
BOARD_LIFE = 41 * 86_400
"""Seconds a day's board is kept: 40 whole days back."""
WEEK_LIFE = 60
"""Seconds a week's board may be remembered."""
VISITORS_LIFE = 2 * 86_400
VISITORS = ":visitors:"
"""What follows `post` in the key of its visitors; the day follows."""
WINDOWS = "{w:"
"""What every key of a sliding window begins with, and no other."""


def visitors(post_id: int, day: str) -> str:
    """HYPERLOGLOG: who viewed a post on a UTC day (YYYY-MM-DD), up to 12 kB. Lives two days."""
    return f"{keys.post(post_id)}{VISITORS}{day}"


def viewed_posts(shard: int, day: str) -> str:
    """HASH of a shard: post id -> views of a UTC day, until they are archived. Lives two days."""
    return f"{keys.shard_tag(shard)}:views:{day}"


def board(kind: str, day: str, group: str = "") -> str:
    """ZSET of a day's `post` or `person` ids by votes cast that UTC day. Lives 41 days."""
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:day:{kind}:{day}"


def week(kind: str, last_day: str, group: str = "") -> str:
    """ZSET: the first of each of the seven days up to one, by their sums. Lives a minute."""
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:week:{kind}:{last_day}"


def activity(piece: int, day: str) -> str:
    """BITMAP of 128 kB: bit (user id mod 2^20) says who was here on a UTC day. Lives 400 days."""
    return f"{{act{piece}}}:day:{day}"


def activity_work(piece: int, what: str = "sum") -> str:
    """BITMAP that a script makes and drops again while it counts."""
    return f"{{act{piece}}}:work:{what}"


def window(name: str, subject: str) -> str:
    """ZSET of a sliding window: what a person or address did lately. Lives as long as
    the window.
    """
    return f"{WINDOWS}{subject}}}:{name}"
