"""Filters that put times into words."""

from datetime import datetime
from time import time

from django import template

from forum.rendering import ages

register = template.Library()


@register.filter
def age(at: int | datetime) -> str:
    """Return how long ago `at` (a moment, or seconds since 1970) was, in words."""
    seconds = int(at.timestamp()) if isinstance(at, datetime) else at
    return ages.words(ages.bucket(int(time()) - seconds))


@register.filter
def iso(at: datetime) -> str:
    """Return a moment for `<time datetime>`, to the second: HTML allows at most milliseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def worth(seconds: float) -> str:
    """Return seconds of posting time in minutes or hours."""
    return ages.worth(seconds)
