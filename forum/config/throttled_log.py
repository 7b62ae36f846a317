"""Logs repeated warnings at most once a minute, for example about a server that is down."""

from time import monotonic

import structlog

INTERVAL = 60.0
"""How many seconds pass at least between two log lines about the same event."""

log = structlog.get_logger()
_logged_at: dict[str, float] = {}


def warn(event: str, error: Exception) -> None:
    """Log an event and its error, unless the event was logged within the last minute."""
    now = monotonic()
    if now >= _logged_at.get(event, now - INTERVAL) + INTERVAL:
        _logged_at[event] = now
        log.warning(event, reason=str(error))
