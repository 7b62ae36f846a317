"""The forum's way to voting: one service a process, made at first use."""

from functools import cache

from django.conf import settings

from voting.service import VotingService, connect


@cache
def voting() -> VotingService:
    """Return the service this process shares among its threads. No round trip."""
    return connect(settings.REDIS_URL, settings.VOTING_RULES)
