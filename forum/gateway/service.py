"""The forum's access to `voting`: one service for each process, created at first use."""

from functools import cache

from django.conf import settings

from forum.config import environment
from forum.observability import metrics
from voting.service import TIMEOUT, VotingService, connect
from voting.types.observer import Observer, VoteOutcome

PATIENCE = "REDIS_PATIENCE"
"""The environment variable with the seconds that a process waits for Redis.

That is for a connection or for a reply. A command at a terminal sets it for itself and for commands
it starts, because waiting is better than starting again. Web processes and workers wait for
`TIMEOUT`. It isn't a setting of the site.
"""
WAITS = 30
"""The value that our commands set: seconds to wait for Redis, as the machine may be busy."""


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
    """Return the seconds that this process waits for a connection to Redis or a reply."""
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
