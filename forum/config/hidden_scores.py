"""Which posts and comments are so young that their scores are hidden (HIDE_SCORES_HOURS).

Readers who see a score tend to vote the same way, so the first votes would decide. Nobody sees the
score of a young post or comment, not even its author, moderators or programs. People still see
their own votes, and lists are still sorted by all votes.
"""

from datetime import UTC, datetime
from time import time

from django.conf import settings

HOUR = 3_600


def are_on() -> bool:
    """Return whether this site hides scores at all."""
    return settings.HIDE_SCORES_HOURS > 0


def is_hidden(posted_at: float) -> bool:
    """Return whether the score of a post or comment is hidden now.

    `posted_at` is when it was posted, in seconds since 1970.
    """
    hours = settings.HIDE_SCORES_HOURS
    return hours > 0 and time() < posted_at + hours * HOUR


def first_visible() -> datetime:
    """Return the posting time before which scores are visible now."""
    return datetime.fromtimestamp(time() - settings.HIDE_SCORES_HOURS * HOUR, UTC)
