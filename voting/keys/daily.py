"""Keys of data that is counted per UTC day: views, leaderboards and activity."""

from datetime import UTC, date, datetime, time, timedelta

from voting import keys

ACTIVITY_BITS = 1 << 20
"""A day's bitmap of active people is stored in pieces for this many people.

A piece has 128 kB, so no BITOP command takes long.
"""
ACTIVITY_LIFE = 400 * 86_400
BOARD_LIFE = 41 * 86_400
"""Seconds that a day's leaderboard is stored: that day and the next 40 days."""
WEEK_DAYS = 7
WEEK_LIFE = 60
"""Seconds that a week's leaderboard is cached."""
VISITORS_LIFE = 2 * 86_400


def day_of(seconds: float) -> date:
    """Return the UTC day of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def day_end(day: date) -> int:
    """Return when a UTC day ends, in seconds since 1970."""
    return int(datetime.combine(day + timedelta(days=1), time(), UTC).timestamp())


def days_up_to(last: date, count: int) -> tuple[date, ...]:
    """Return `count` successive days that end with `last`, earliest first."""
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))


def visitors(post_id: int, day: str) -> str:
    """HYPERLOGLOG of up to 12 kB: who viewed a post on a UTC day (YYYY-MM-DD). Lives two days."""
    return f"{keys.post(post_id)}:visitors:{day}"


def viewed_posts(shard: int, day: str) -> str:
    """HASH: post id -> views on a UTC day, for the posts of a shard. Lives two days."""
    return f"{keys.shard_tag(shard)}:views:{day}"


def board(kind: str, day: str, group: str = "") -> str:
    """ZSET of posts or people (`kind`) by the points received on a UTC day. Lives 41 days."""
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:day:{kind}:{day}"


def week(kind: str, last_day: str, group: str = "") -> str:
    """ZSET of the best posts or people (`kind`) by points received in 7 days. Lives a minute."""
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:week:{kind}:{last_day}"


def activity(piece: int, day: str) -> str:
    """BITMAP, up to 128 kB: who was active on a UTC day. Lives 400 days.

    Each day has one bitmap for every 2^20 user ids. A person's bit is in the bitmap with the number
    `piece`, which is user id // 2^20, at position user id % 2^20.
    """
    return f"{{act{piece}}}:day:{day}"


def activity_work(piece: int, what: str = "sum") -> str:
    """BITMAP: temporary result while a script counts active people. The script deletes this key."""
    return f"{{act{piece}}}:work:{what}"
