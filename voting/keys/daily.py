"""Keys of the data that is counted for each UTC day: views, leaderboards and activity."""

from datetime import UTC, date, datetime, time, timedelta

from voting import keys

ACTIVITY_BITS = 1 << 20
"""How many people one piece of a day's bitmap covers. A piece has 128 kB, so that no BITOP command
takes long.
"""
ACTIVITY_LIFE = 400 * 86_400
BOARD_LIFE = 41 * 86_400
"""Seconds for which the leaderboard of a day is stored: on that day and the 40 days after it."""
WEEK_DAYS = 7
WEEK_LIFE = 60
"""Seconds that the leaderboard of a week is cached."""
VISITORS_LIFE = 2 * 86_400
VISITORS = ":visitors:"
"""The text between a post's key and the UTC day in the key of the post's visitors on that day."""


def day_of(seconds: float) -> date:
    """Return the UTC day of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def day_end(day: date) -> int:
    """Return when a UTC day ends, in seconds since 1970."""
    return int(datetime.combine(day + timedelta(days=1), time(), UTC).timestamp())


def days_up_to(last: date, count: int) -> tuple[date, ...]:
    """Return `count` successive days up to and including `last`, the earliest day first."""
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))


def visitors(post_id: int, day: str) -> str:
    """HYPERLOGLOG of up to 12 kB: who viewed a post on a UTC day (YYYY-MM-DD). Lives two days."""
    return f"{keys.post(post_id)}{VISITORS}{day}"


def viewed_posts(shard: int, day: str) -> str:
    """HASH of a shard: post id -> views of the post on a UTC day, for archiving in SQL. Lives two
    days.
    """
    return f"{keys.shard_tag(shard)}:views:{day}"


def board(kind: str, day: str, group: str = "") -> str:
    """ZSET of ids of posts or people (`kind`) by points received on a UTC day. Lives 41 days."""
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:day:{kind}:{day}"


def week(kind: str, last_day: str, group: str = "") -> str:
    """ZSET of ids of the best posts or people (`kind`) by the points received in 7 days. Lives a
    minute.
    """
    scope = f":group:{group}" if group else ""
    return f"{keys.RANK_TAG}{scope}:week:{kind}:{last_day}"


def activity(piece: int, day: str) -> str:
    """BITMAP of 128 kB: bit (user id mod 2^20) is 1 if the person was active on a UTC day. Lives
    400 days.
    """
    return f"{{act{piece}}}:day:{day}"


def activity_work(piece: int, what: str = "sum") -> str:
    """BITMAP: temporary result of the script that counts active people; the script deletes this
    key.
    """
    return f"{{act{piece}}}:work:{what}"
