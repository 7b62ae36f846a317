"""Sends requests to the servers of a cluster, and repeats a request if a key has moved.

All requests are sent before the first reply is read, so together they take one round trip. Three
kinds of requests may be sent again: scripts, requests that a server refused (MOVED, ASK, TRYAGAIN),
and requests that could not be sent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from redis.exceptions import (
    AskError,
    MovedError,
    NoScriptError,
    ResponseError,
    TryAgainError,
)

from voting import keys
from voting.redis.connection import UNAVAILABLE, is_refusal, reply_of
from voting.redis.pool import pack
from voting.redis.replica_acks import ReplicaAcks
from voting.redis.scripts import Argument, Call, Request
from voting.redis.topology import Address, Topology

PATIENCE = 0.4
"""Seconds for which requests are repeated while their slot moves to another server."""
MIN_ATTEMPTS = 3
"""A request may be sent this many times, even after `PATIENCE` seconds have passed."""
PAUSE = 0.02
"""Seconds between two attempts while a slot moves."""
KEY_MOVED = "non local key"
"""Part of a script's error reply if a key moved while the script ran."""


@dataclass(slots=True)
class RoutedRequest:
    """A request to a server of a cluster.

    If `node` is None, the request goes to the server that has the key.
    """

    number: int
    call: Request
    node: Address | None = None
    fixed: bool = False
    """Whether the request must go to `node`, even if another server has the key."""
    asking: bool = False
    by_source: bool = False
    sent: bool = False
    attempts: int = 0


class Router:
    """Sends requests to the servers of a cluster. Threads may share it."""

    def __init__(self, topology: Topology, replicas: ReplicaAcks) -> None:
        self._topology = topology
        self._replica_acks = replicas

    def send(self, requests: Sequence[RoutedRequest]) -> list[Any]:
        """Send requests and return their replies; errors are returned, not raised.

        One round trip, more if slots move.
        """
        replies: list[Any] = [None] * len(requests)
        deadline, left = monotonic() + PATIENCE, list(requests)
        while left:
            if self._topology.is_stale:
                self._topology.refresh()
            self._round_trip(left, replies)
            left = self._unanswered(left, replies)
            if monotonic() > deadline:
                left = [one for one in left if one.attempts < MIN_ATTEMPTS]
            if any(_is_moving(replies[one.number]) for one in left):
                sleep(PAUSE)
        return replies

    def _round_trip(self, requests: Sequence[RoutedRequest], replies: list[Any]) -> None:
        """Send every request to its server, then put the replies into `replies`."""
        groups: dict[Address, list[RoutedRequest]] = {}
        for one in requests:
            one.attempts, one.sent = one.attempts + 1, False
            try:
                one.node = one.node or self._topology.master(str(one.call.key))
                groups.setdefault(one.node, []).append(one)
            except UNAVAILABLE as error:
                replies[one.number] = error
        sent = []
        for node, group in groups.items():
            try:
                sent.append((group, self._send_all(node, group)))
            except UNAVAILABLE as error:
                _fail(group, error, replies)
        for group, receive in sent:
            try:
                for one, reply in zip(group, receive(), strict=True):
                    replies[one.number] = reply
            except UNAVAILABLE as error:
                _fail(group, error, replies)

    def _send_all(self, node: Address, group: Sequence[RoutedRequest]) -> Callable[[], list[Any]]:
        """Send requests to the server `node`; return a function that reads the replies."""
        pool: Any = self._topology.pool(node)
        connection: Any = pool.get_connection()
        for one in group:
            one.sent = True
        commands: list[tuple[Argument, ...]] = []
        for one in group:
            if one.asking:
                commands.append(("ASKING",))
            commands.append(one.call.by_source() if one.by_source else one.call.by_hash())
        calls = [one.call for one in group]
        waits = self._replica_acks.commands(calls)
        try:
            connection.send_packed_command(pack([*commands, *waits]))
        except BaseException:
            pool.release(connection)
            raise

        def receive() -> list[Any]:
            try:
                read = [reply_of(connection) for _ in commands]
                acks = [reply_of(connection) for _ in waits]
            finally:
                pool.release(connection)
            answers = [r for r, words in zip(read, commands, strict=True) if words != ("ASKING",)]
            return self._replica_acks.check(calls, answers, acks)

        return receive

    def _unanswered(
        self, requests: Sequence[RoutedRequest], replies: Sequence[Any]
    ) -> list[RoutedRequest]:
        """Return the requests that must be sent again (see `_must_repeat`).

        Also returns later scripts with the same hash tag, because a script may need the result of
        an earlier one. For example, one script stores the ranking of combined groups, and the next
        one reads this ranking.
        """
        left, tags = [], set()
        for one in requests:
            tag = keys.tag_of(str(one.call.key)) if isinstance(one.call, Call) else ""
            if self._must_repeat(one, replies[one.number]):
                left.append(one)
                tags.add(tag)
            elif tag and tag in tags:
                left.append(one)
        return left

    def _must_repeat(self, one: RoutedRequest, reply: Any) -> bool:
        """Return whether to send a request again. If so, store in the request how to resend it."""
        if one.fixed:
            self._topology.is_stale |= isinstance(reply, UNAVAILABLE)
            return False
        node, one.node, one.asking = one.node, None, False
        if isinstance(reply, UNAVAILABLE) and not isinstance(reply, ResponseError):
            return self._has_new_server(one, node)
        if not isinstance(reply, ResponseError):
            return False
        if isinstance(reply, NoScriptError):
            one.by_source = True
        elif isinstance(reply, MovedError):
            self._topology.move(reply.slot_id, (reply.host or str(node and node[0]), reply.port))
        elif isinstance(reply, AskError):
            one.node, one.asking = (reply.host, reply.port), True
        elif not _is_moving(reply):
            self._topology.is_stale |= is_refusal(reply)
            return False
        return True

    def _has_new_server(self, one: RoutedRequest, node: Address | None) -> bool:
        """Return whether to send a request again, because another server has the key now.

        `node` is the server that did not answer. Returns False after the second attempt. Also
        returns False for a plain command (not a script) if it may already have run.
        """
        self._topology.is_stale = True
        if one.attempts > 1 or (one.sent and not isinstance(one.call, Call)):
            return False
        self._topology.refresh()
        return node != self._topology.holder(str(one.call.key))


def _is_moving(reply: Any) -> bool:
    """Return whether a reply is an error because keys are moving between servers."""
    return isinstance(reply, TryAgainError) or (
        isinstance(reply, ResponseError) and KEY_MOVED in str(reply)
    )


def _fail(group: Sequence[RoutedRequest], error: Exception, replies: list[Any]) -> None:
    for one in group:
        replies[one.number] = error
