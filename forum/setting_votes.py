"""Reads VOTES_PER_DAY, which is a number or a word."""

from django.core.exceptions import ImproperlyConfigured

from forum import environment
from forum.counts.votes_per_day import AT_FIRST

AUTO = "auto"


def votes_per_day(name: str = "VOTES_PER_DAY") -> int | None:
    """Return the net votes worth a day; None where the site finds the number (the default)."""
    if environment.text(name, AUTO).lower() == AUTO:
        return None
    try:
        return environment.whole(name, 1, 1, 86_400)
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(f"{error} Or auto.") from error


def weight(votes: int | None) -> float:
    """Return the seconds that a vote is worth; where the site finds the number, at first."""
    return 86_400 / (votes or AT_FIRST)
