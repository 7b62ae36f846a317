"""Reads VOTES_PER_DAY, which is a number or a word."""

from django.core.exceptions import ImproperlyConfigured

from forum import environment
from forum.counts.votes_per_day import AT_FIRST

AUTO = "auto"


def votes_per_day() -> int | None:
    """Return the net votes worth a day; None where the site finds the number (the default)."""
    if environment.text("VOTES_PER_DAY", AUTO).lower() == AUTO:
        return None
    try:
        return environment.whole("VOTES_PER_DAY", 1, 1, 86_400)
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(f"{error} Or auto.") from error


def weight(votes: int | None) -> float:
    """Return the seconds that a vote is worth; where the site finds the number, at first."""
    return 86_400 / (votes or AT_FIRST)
