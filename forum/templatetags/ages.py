"""A filter that says how long ago something was."""

from datetime import datetime
from time import time

from django import template

from forum.pages import ages

register = template.Library()


@register.filter
def age(at: int | datetime) -> str:
    """Return how long ago `at` (a moment, or seconds since 1970) was, in words."""
    seconds = int(at.timestamp()) if isinstance(at, datetime) else at
    return ages.words(ages.bucket(int(time()) - seconds))
