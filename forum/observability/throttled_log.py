"""Warnings that repeat while something is down, logged once a minute."""

from time import monotonic

import structlog

INTERVAL = 60.0
"""Seconds between two log lines of the same event."""

log = structlog.get_logger()
_logged_at: dict[str, float] = {}


def warn(event: str, error: Exception) -> None:
    """Log that something is down, and why, unless this was logged within the last minute."""
    now = monotonic()
    if now >= _logged_at.get(event, now - INTERVAL) + INTERVAL:
        _logged_at[event] = now
        log.warning(event, reason=str(error))
