"""Addresses of the page on which moderators void votes."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils import timezone


def address(names: Iterable[str], place: str = "") -> str:
    """Return the URL of the page that shows what voiding the recent votes of accounts would change.

    `place` is the short name of a group, or "" for the site.
    """
    since = f"{usual_since():%Y-%m-%dT%H:%M}"
    chosen = {"accounts": ",".join(names), "place": place, "since": since}
    return f"{reverse('void_votes')}?{urlencode(chosen, safe=',:')}"


def usual_since() -> datetime:
    """Return the time since when voting on today's posts has been open."""
    since = timezone.now() - timedelta(seconds=settings.VOTING_RULES.window)
    return since.replace(second=0, microsecond=0)
