"""Template filters that put times into words."""

from datetime import datetime
from time import time

from django import template

from forum.rendering import ages

register = template.Library()


@register.filter
def age(at: int | datetime) -> str:
    """Return in words how long ago a time was (a datetime, or seconds since 1970)."""
    seconds = int(at.timestamp()) if isinstance(at, datetime) else at
    return ages.words(ages.bucket(int(time()) - seconds))


@register.filter
def iso(at: datetime) -> str:
    """Return a time for `<time datetime>`, to the second: HTML allows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def worth(seconds: float) -> str:
    """Return in words how far votes move a post, given in seconds: minutes or hours."""
    return ages.worth(seconds)
