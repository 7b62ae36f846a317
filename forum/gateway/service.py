"""The forum's way to voting: one service a process, made at first use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from forum.config import environment
from forum.observability import metrics
from voting.errors import Throttled, UnknownTarget, VotingClosed, VotingError
from voting.service import TIMEOUT, VotingService, connect
from voting.types import Ballot, Row, Target, Vote
from voting.types.limits import Pace

PATIENCE = "REDIS_PATIENCE"
"""The variable by which a command at a terminal gives itself, and the commands it starts, the
seconds to wait for a connection or a reply: it would rather wait than be done again. Pages and
workers have none, and wait `TIMEOUT`. It is no setting of a site.
"""
WAITS = 30
"""How many seconds our commands give themselves: the machine may have much to do."""

OUTCOMES: dict[type[VotingError], str] = {
    VotingClosed: "closed",
    UnknownTarget: "unknown",
    Throttled: "too_fast",
}
"""What the meter is told of a vote that is refused; where Redis is away, "unavailable"."""


class CountedVoting(VotingService):
    """Voting that tells the meters of votes and of trips to Redis."""

    _broken = True
    """What the meter was told last; at first nothing, so that the first trip tells it."""

    def cast_vote(
        self, user_id: int, target: Target, wanted: Vote, *, pace: Pace | None = None
    ) -> Ballot:
        """Cast a vote and count what became of it."""
        with _counted() as count:
            ballot = super().cast_vote(user_id, target, wanted, pace=pace)
            count(ballot)
        return ballot

    def cast_and_show(
        self, user_id: int, post_id: int, wanted: Vote, *, pace: Pace | None = None
    ) -> tuple[Ballot, Row]:
        """The same, with the row."""
        with _counted() as count:
            ballot, row = super().cast_and_show(user_id, post_id, wanted, pace=pace)
            count(ballot)
        return ballot, row

    def note_trip(self, script: str, seconds: float, failed: bool) -> None:
        """Count a trip; the breaker's state is told where it may have changed."""
        metrics.trip(script, seconds, failed=failed)
        if failed or self._broken:
            self._broken = self.store.resting
            metrics.breaker(self._broken)


@contextmanager
def _counted() -> Iterator[Callable[[Ballot], None]]:
    """Count a vote that is refused, and give what counts one that is not."""
    try:
        yield lambda ballot: metrics.vote("counted" if ballot.changed else "unchanged")
    except VotingError as error:
        metrics.vote(OUTCOMES.get(type(error), "unavailable"))
        raise


def patience() -> float:
    """Return the seconds that this process waits for a connection or a reply, of votes or cache."""
    return environment.whole(PATIENCE, 0, 0, 600) or TIMEOUT


@cache
def get_voting_service() -> VotingService:
    """Return the service this process shares among its threads. No round trip."""
    service = CountedVoting(
        connect(
            settings.REDIS_URL,
            settings.VOTING_RULES,
            wait_replicas=settings.VOTING_WAIT_REPLICAS,
            read_replicas=settings.VOTING_READ_REPLICAS,
            timeout=patience(),
        ).store,
        settings.VOTING_RULES,
    )
    service.store.observe = service.note_trip
    return service
