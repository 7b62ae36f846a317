"""Puts the ages of posts and comments into words, such as "3 hours ago".

All ages that are shown as the same text have the same number, called their bucket. Cache keys
contain the bucket.
"""

from datetime import datetime
from functools import lru_cache
from time import time

from django.template.defaultfilters import floatformat
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

MINUTE = 60
HOUR = 3_600
DAY = 86_400
MONTH = 30 * DAY
YEAR = 365 * DAY
STEP = 1_000
"""The buckets of each unit of time begin at a multiple of this: minutes at 0, hours at 1,000."""


def bucket(age: int) -> int:
    """Return the bucket for an age in seconds.

    Ages that are shown as the same text, such as "2 hours ago", are in the same bucket.
    """
    if age < HOUR:
        return max(age, 0) // MINUTE
    if age < DAY:
        return STEP + age // HOUR
    if age < MONTH:
        return 2 * STEP + age // DAY
    if age < YEAR:
        return 3 * STEP + age // MONTH
    return 4 * STEP + age // YEAR


def words(number: int) -> str:
    """Return the text for an age, such as "3 hours ago", in the active language.

    `number` is what `bucket` returned for the age.
    """
    return _words(number, get_language())


@lru_cache(maxsize=1_024)
def _words(number: int, _language: str | None) -> str:
    unit, count = divmod(number, STEP)
    if unit == 0 and count == 0:
        return _("just now")
    says = (
        ngettext("%(count)d minute ago", "%(count)d minutes ago", count),
        ngettext("%(count)d hour ago", "%(count)d hours ago", count),
        ngettext("%(count)d day ago", "%(count)d days ago", count),
        ngettext("%(count)d month ago", "%(count)d months ago", count),
        ngettext("%(count)d year ago", "%(count)d years ago", count),
    )
    return says[unit] % {"count": count}


def since(at: datetime) -> str:
    """Return the age of something that was posted at this time, in words."""
    return words(bucket(int(time()) - int(at.timestamp())))


@lru_cache(maxsize=8_192)
def full(at: datetime, _language: str | None) -> str:
    """Return a date and time, in the active language, which is part of the cache key."""
    return date_format(at, "DATETIME_FORMAT")


def worth(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours, with one decimal, such as "7.2 minutes".

    Pages use it to explain votes: each vote counts in `hot` as if the post were that much newer.
    """
    if seconds < MINUTE:
        seconds = round(seconds, 1)
        text = ngettext("%(count)s second", "%(count)s seconds", 1 if seconds == 1 else 2)
        return text % {"count": floatformat(seconds, -1)}
    if seconds < HOUR:
        minutes = round(seconds / MINUTE, 1)
        text = ngettext("%(count)s minute", "%(count)s minutes", 1 if minutes == 1 else 2)
        return text % {"count": floatformat(minutes, -1)}
    hours = round(seconds / HOUR, 1)
    text = ngettext("%(count)s hour", "%(count)s hours", 1 if hours == 1 else 2)
    return text % {"count": floatformat(hours, -1)}


def span(seconds: int) -> str:
    """Return a duration in the largest unit that gives a whole number, such as "7 days"."""
    says = (
        (DAY, ngettext("%(count)d day", "%(count)d days", seconds // DAY)),
        (HOUR, ngettext("%(count)d hour", "%(count)d hours", seconds // HOUR)),
        (MINUTE, ngettext("%(count)d minute", "%(count)d minutes", seconds // MINUTE)),
    )
    unit, text = next((item for item in says if seconds % item[0] == 0), says[-1])
    return text % {"count": seconds // unit}
