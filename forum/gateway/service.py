"""The forum's access to `voting`. Each process creates one service when it first needs one."""

from functools import cache

from django.conf import settings

from forum.config import environment
from forum.observability import metrics
from voting.service import TIMEOUT, VotingService, connect
from voting.types.observer import Observer, VoteOutcome

PATIENCE = "REDIS_PATIENCE"
"""The environment variable that sets how many seconds a process waits for Redis.

The limit applies to connecting and to each reply. A command that is run in a terminal sets the
variable for itself and for commands that it starts, because it should rather wait than fail. Web
processes and workers wait for `TIMEOUT` seconds. Owners of a site don't set the variable.
"""
WAITS = 30
"""How many seconds our own commands wait for Redis, because the machine may be busy."""


class MetricsObserver(Observer):
    """Counts votes and round trips for Prometheus."""

    def vote(self, outcome: VoteOutcome) -> None:
        """Count a vote by its outcome."""
        metrics.vote(outcome)

    def round_trip(self, name: str, seconds: float, *, failed: bool) -> None:
        """Count a round trip to Redis."""
        metrics.trip(name, seconds, failed=failed)

    def breaker(self, *, is_open: bool) -> None:
        """Record whether the breaker is open."""
        metrics.breaker(is_open)


def patience() -> float:
    """Return how many seconds this process waits for a connection to Redis or for a reply."""
    return environment.whole(PATIENCE, 0, 0, 600) or TIMEOUT


@cache
def get_voting_service() -> VotingService:
    """Return the voting service that all threads of this process share. No round trip."""
    return connect(
        settings.REDIS_URL,
        settings.VOTING_RULES,
        observer=MetricsObserver(),
        timeout=patience(),
        wait_replicas=settings.VOTING_WAIT_REPLICAS,
        read_replicas=settings.VOTING_READ_REPLICAS,
    )
