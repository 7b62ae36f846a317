"""Writes the security log: log-ins, failures, and changes of passwords, tokens and accounts."""

from collections.abc import Mapping
from datetime import timedelta

import structlog
from django.utils import timezone

from forum.models import SecurityEvent

log = structlog.get_logger()
KEPT = timedelta(days=90)
"""How long events are kept."""


def record(
    kind: SecurityEvent.Kind,
    *,
    person_id: int | None,
    network: str = "",
    by_id: int | None = None,
    details: Mapping[str, str] | None = None,
) -> None:
    """Add an event to the security log, and to the log of the process.

    `network` is a hash from `network_hash`. `details` must not contain secrets, nor what somebody
    typed into a log-in form: people type passwords into the wrong field.
    """
    event = {"kind": kind, "person_id": person_id, "network": network, "by_id": by_id}
    log.info("security event", **event)
    SecurityEvent.objects.create(details=dict(details or {}), **event)


def delete_old() -> None:
    """Delete events that are older than `KEPT`."""
    SecurityEvent.objects.filter(at__lt=timezone.now() - KEPT).delete()
