"""The voting service of this process, through which the forum uses Redis."""

from functools import cache

from django.conf import settings

from forum.config import environment, metrics
from voting.service import TIMEOUT, VotingService, connect
from voting.types.observer import Observer, VoteOutcome

PATIENCE = "REDIS_PATIENCE"
"""The environment variable that says how many seconds to wait for Redis.

The site's commands set it for themselves and their child processes, because a command should wait
rather than fail. Admins needn't set it. Without it, processes wait for `TIMEOUT` seconds.
"""
WAITS = 30
"""How many seconds the site's commands wait for Redis, because the machine may be busy."""


class MetricsObserver(Observer):
    """Counts votes and round trips for Prometheus."""

    def vote(self, outcome: VoteOutcome) -> None:
        metrics.vote(outcome)

    def round_trip(self, name: str, seconds: float, *, failed: bool) -> None:
        metrics.trip(name, seconds, failed=failed)

    def breaker(self, *, is_open: bool) -> None:
        metrics.breaker(is_open)


def patience() -> float:
    """Return how many seconds this process waits to connect to Redis, or for a reply."""
    return environment.whole(PATIENCE, 0, 0, 600) or TIMEOUT


@cache
def get_voting_service() -> VotingService:
    """Return the voting service that all threads of this process share."""
    return connect(
        settings.REDIS_URL,
        settings.VOTING_RULES,
        observer=MetricsObserver(),
        timeout=patience(),
        wait_replicas=settings.VOTING_WAIT_REPLICAS,
    )
