"""Waits until replicas have what scripts wrote (VOTING_WAIT_REPLICAS)."""

from collections.abc import Sequence
from typing import Any

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis.scripts import Argument, Asked, Call

KEPT = frozenset(
    {"comment", "publish", "regroup", "retract", "retract_comment", "vote", "vote_comment"}
)
"""Scripts whose effect replicas must have, where that is asked for (VOTING_WAIT_REPLICAS)."""
WAIT_MS = 300
"""Milliseconds replicas may take for that; less than a connection waits for a reply."""


class Replicas:
    """So many that must have a change before it is acknowledged; none where that is 0."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted

    def waiting(self, calls: Sequence[Asked]) -> list[tuple[Argument, ...]]:
        """Return the commands that wait until replicas have what `calls` wrote; none for others.

        A write goes before: WAIT asks for what its own connection wrote, and a vote that is only
        repeated (its reply was lost) writes nothing itself.
        """
        if not self._wanted:
            return []
        kept = [str(call.key) for call in calls if _is_kept(call)]
        if not kept:
            return []
        return [
            ("SET", keys.held(keys.tag_of(kept[-1])), 1),
            ("WAIT", self._wanted, WAIT_MS),
        ]

    def held(self, calls: Sequence[Asked], replies: list[Any], held: Sequence[Any]) -> list[Any]:
        """Return replies to `calls`; those that replicas must hold are errors where they don't."""
        if not held or (isinstance(held[1], int) and held[1] >= self._wanted):
            return replies
        error = StoreUnavailable(f"{held[1]} of {self._wanted} replicas have it")
        return [
            error if _is_kept(call) and not isinstance(reply, Exception) else reply
            for call, reply in zip(calls, replies, strict=True)
        ]


def _is_kept(call: Asked) -> bool:
    return isinstance(call, Call) and call.script.name in KEPT
