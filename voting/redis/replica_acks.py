"""Waits until replicas have what scripts wrote (VOTING_WAIT_REPLICAS)."""

from collections.abc import Sequence
from typing import Any

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis.scripts import Argument, Call, Request

ACKNOWLEDGED = frozenset(
    {
        *("publish", "publish_comment", "regroup", "retract", "retract_comment"),
        *("vote", "vote_comment"),
    }
)
"""Scripts whose changes must reach replicas before they are acknowledged."""
WAIT_MS = 300
"""Milliseconds that replicas may take; less than the timeout of a reply."""


class ReplicaAcks:
    """The number of replicas that must have a change before it is acknowledged; may be 0."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted

    def commands(self, calls: Sequence[Request]) -> list[tuple[Argument, ...]]:
        """Return the commands that wait until replicas have what `calls` wrote.

        A write comes first: WAIT waits for the writes of its own connection, and a repeated vote
        (whose reply was lost) writes nothing itself.
        """
        if not self._wanted:
            return []
        written = [str(call.key) for call in calls if _is_acknowledged(call)]
        if not written:
            return []
        return [
            ("SET", keys.wait_marker(keys.tag_of(written[-1])), 1),
            ("WAIT", self._wanted, WAIT_MS),
        ]

    def check(self, calls: Sequence[Request], replies: list[Any], acks: Sequence[Any]) -> list[Any]:
        """Return the replies, with errors for writes that too few replicas have."""
        if not acks or (isinstance(acks[1], int) and acks[1] >= self._wanted):
            return replies
        error = StoreUnavailable(f"only {acks[1]} of {self._wanted} replicas have the change")
        return [
            error if _is_acknowledged(call) and not isinstance(reply, Exception) else reply
            for call, reply in zip(calls, replies, strict=True)
        ]


def _is_acknowledged(call: Request) -> bool:
    return isinstance(call, Call) and call.script.name in ACKNOWLEDGED
