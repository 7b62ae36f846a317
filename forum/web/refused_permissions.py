"""Writes refused permissions to the security log."""

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from forum.actions import security_log
from forum.identity.network import network_hash
from forum.identity.viewers import viewer_id
from forum.models import SecurityEvent

PAUSE = 600
"""For this many seconds, the same refusal is not logged again, so that nobody can fill the log."""


def note(request: HttpRequest) -> None:
    """Record that a member may not do what they asked for. Guests aren't recorded."""
    person, match = viewer_id(request), request.resolver_match
    if person is None or match is None or settings.READ_ONLY:
        return
    page = f"{request.method} {match.view_name}"
    if cache.add(f"refused-permission:{person}:{page}", True, PAUSE):
        security_log.record(
            SecurityEvent.Kind.REFUSED,
            person_id=person,
            network=network_hash(request),
            details={"page": page},
        )
