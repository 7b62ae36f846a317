"""Waits until replicas have received the changes made by scripts (VOTING_WAIT_REPLICAS)."""

from collections.abc import Sequence
from typing import Any

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis.scripts import Argument, Call, Request

ACKNOWLEDGED = frozenset(
    {"publish", "publish_comment", "retract", "retract_comment", "vote", "vote_comment"}
)
"""Scripts whose changes must reach replicas before the site reports success."""
WAIT_MS = 300
"""Milliseconds that replicas may take to confirm a change; less than the timeout of a reply."""


class ReplicaAcks:
    """Waits until a number of replicas (0 or more) have received a change."""

    def __init__(self, required: int) -> None:
        self._required = required

    def commands(self, calls: Sequence[Request]) -> list[tuple[Argument, ...]]:
        """Return the commands that wait until replicas have the changes made by `calls`.

        SET writes a marker, which replicas receive after all earlier writes, and WAIT waits for the
        marker. WAIT alone would ignore writes through other connections, such as the first attempt
        of a vote that was sent twice.
        """
        if not self._required:
            return []
        written = [str(call.key) for call in calls if _is_acknowledged(call)]
        if not written:
            return []
        return [
            ("SET", keys.wait_marker(keys.tag_of(written[-1])), 1),
            ("WAIT", self._required, WAIT_MS),
        ]

    def check(self, calls: Sequence[Request], replies: list[Any], acks: Sequence[Any]) -> list[Any]:
        """Return `replies`, but with an error for each change that too few replicas have."""
        if not acks or (isinstance(acks[1], int) and acks[1] >= self._required):
            return replies
        error = StoreUnavailable(f"only {acks[1]} of {self._required} replicas have the change")
        return [
            error if _is_acknowledged(call) and not isinstance(reply, Exception) else reply
            for call, reply in zip(calls, replies, strict=True)
        ]


def _is_acknowledged(call: Request) -> bool:
    return isinstance(call, Call) and call.script.name in ACKNOWLEDGED
