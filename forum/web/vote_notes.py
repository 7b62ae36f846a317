"""The sentence beside a viewer's own vote if the vote doesn't count."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.web import ages
from voting.types import VOID, Vote

NO_NOTE = SafeString("")


def vote_note(vote: Vote, counts_at: int | None, closes_at: int | None, now: int) -> SafeString:
    """Return the sentence that says why a viewer's own vote doesn't count; "" if it counts.

    `counts_at` is when the vote will count (s since 1970), or `VOID`; None if it counts.
    `closes_at` is when voting closes; None for an answer, on which voting never closes.
    """
    if vote is Vote.NONE or counts_at is None:
        return NO_NOTE
    if counts_at == VOID:
        return SafeString(_("Moderators took this vote out of the count"))
    return format_html(_sentence(counts_at, closes_at, now), time=_time(counts_at, now), age=_age())


def _sentence(counts_at: int, closes_at: int | None, now: int) -> str:
    """Return the sentence about a vote that waits, or that waited too long."""
    if closes_at is not None and closes_at <= counts_at:
        if closes_at <= now:
            return _("Never counted: voting closed before your account was {age} old")
        return _("Will not count: voting closes before your account is {age} old")
    if counts_at <= now:
        return _("Counts in a moment: your account is {age} old now")
    return _("Counts from {time}, when your account is {age} old")


def _age() -> str:
    """Return how old an account must be for its votes to count at once."""
    if settings.NEW_PERSON == ages.DAY:
        return _("one day")
    return ages.span(settings.NEW_PERSON)


def _time(counts_at: int, now: int) -> SafeString:
    """Return a `<time>` such as "tomorrow 14:00 UTC". Rounded up to the minute."""
    at = datetime.fromtimestamp(counts_at + -counts_at % ages.MINUTE, UTC)
    today = datetime.fromtimestamp(now, UTC).date()
    clock = date_format(at, "H:i")
    if at.date() == today:
        words = _("today %(clock)s UTC") % {"clock": clock}
    elif at.date() == today + timedelta(days=1):
        words = _("tomorrow %(clock)s UTC") % {"clock": clock}
    else:
        words = f"{date_format(at, 'DATETIME_FORMAT')} UTC"
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), words)
