"""Template filters that put times into words."""

from datetime import datetime
from time import time

from django import template

from forum.web import ages

register = template.Library()


@register.filter
def age(at: int | datetime) -> str:
    """Return the age of a post or comment in words, such as "3 hours ago".

    The argument is a datetime or a number of seconds since 1970.
    """
    seconds = int(at.timestamp()) if isinstance(at, datetime) else at
    return ages.words(ages.bucket(int(time()) - seconds))


@register.filter
def iso(at: datetime) -> str:
    """Return a time in the form for `<time datetime="…">`, which allows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def worth(seconds: float) -> str:
    """Convert seconds to minutes or hours, and return them in words, such as "7.2 minutes"."""
    return ages.worth(seconds)
