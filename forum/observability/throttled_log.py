"""What is away is asked twice a second by whoever needs it, and told of once a minute."""

from time import monotonic

import structlog

TOLD_SECONDS = 60.0

log = structlog.get_logger()
_told: dict[str, float] = {}


def tell(absence: str, error: Exception) -> None:
    """Log that something is away, and why; nothing where that was logged within the last minute."""
    now = monotonic()
    if now >= _told.get(absence, now - TOLD_SECONDS) + TOLD_SECONDS:
        _told[absence] = now
        log.warning(absence, reason=str(error))
