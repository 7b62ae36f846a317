"""UTC days, by which views, boards and activity are counted."""

from datetime import UTC, date, datetime, time, timedelta

WEEK = 7


def day_of(seconds: float) -> date:
    """Return the UTC day of a moment in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def ends(day: date) -> int:
    """Return the moment a day is over, in seconds since 1970."""
    return int(datetime.combine(day + timedelta(days=1), time(), UTC).timestamp())


def up_to(last: date, count: int) -> tuple[date, ...]:
    """Return so many days up to the last one, the earliest first."""
    return tuple(last - timedelta(days=ago) for ago in reversed(range(count)))
