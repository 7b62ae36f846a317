"""Asks the servers of a cluster: all at once, and again where a key has moved.

What is asked together is sent to every server concerned before the first reply is read: one round
trip, as long as the slowest of them. Nothing is sent twice but scripts (they may be repeated), what
a server has refused to do (MOVED, ASK, TRYAGAIN), and what could not be sent.
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
"""Seconds for which a slot that is moving is asked again and again."""
SURE = 3
"""How often a question is asked at the least, however slow the replies by which a server says that
it lacks the script or the key. What is moving is given up after `PATIENCE`.
"""
PAUSE = 0.02
"""Seconds between two such questions."""
ELSEWHERE = "non local key"
"""Part of the reply by which a script says that a key has moved while it ran."""


@dataclass(slots=True)
class Question:
    """A call on its way, and where it goes if not to the holder of its key."""

    number: int
    call: Request
    node: Address | None = None
    fixed: bool = False
    """It is meant for this server, not for a key."""
    asking: bool = False
    by_source: bool = False
    sent: bool = False
    tried: int = 0


class Asking:
    """The way to all servers of a cluster; threads share it."""

    def __init__(self, topology: Topology, replicas: ReplicaAcks) -> None:
        self._topology = topology
        self._replica_acks = replicas

    def settle(self, questions: Sequence[Question]) -> list[Any]:
        """Return the replies, errors among them. One round trip, more where slots move."""
        replies: list[Any] = [None] * len(questions)
        deadline, left = monotonic() + PATIENCE, list(questions)
        while left:
            if self._topology.doubted:
                self._topology.refresh()
            self._hop(left, replies)
            left = self._unsettled(left, replies)
            if monotonic() > deadline:
                left = [one for one in left if one.tried < SURE]
            if any(_is_moving(replies[one.number]) for one in left):
                sleep(PAUSE)
        return replies

    def _hop(self, questions: Sequence[Question], replies: list[Any]) -> None:
        """Send every question to its server, then read all replies."""
        groups: dict[Address, list[Question]] = {}
        for one in questions:
            one.tried, one.sent = one.tried + 1, False
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

    def _send_all(self, node: Address, group: Sequence[Question]) -> Callable[[], list[Any]]:
        """Send a server its questions; return what reads the replies."""
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
        waiting = self._replica_acks.commands(calls)
        try:
            connection.send_packed_command(pack([*commands, *waiting]))
        except BaseException:
            pool.release(connection)
            raise

        def receive() -> list[Any]:
            try:
                read = [reply_of(connection) for _ in commands]
                held = [reply_of(connection) for _ in waiting]
            finally:
                pool.release(connection)
            answers = [r for r, words in zip(read, commands, strict=True) if words != ("ASKING",)]
            return self._replica_acks.check(calls, answers, held)

        return receive

    def _unsettled(self, asked: Sequence[Question], replies: Sequence[Any]) -> list[Question]:
        """Return what is to be asked once more: also the scripts of a hash tag behind the one that
        was not run, since they come in an order (a mix is built, then read).
        """
        left, tags = [], set()
        for one in asked:
            tag = keys.tag_of(str(one.call.key)) if isinstance(one.call, Call) else ""
            if self._again(one, replies[one.number]):
                left.append(one)
                tags.add(tag)
            elif tag and tag in tags:
                left.append(one)
        return left

    def _again(self, one: Question, reply: Any) -> bool:
        """Say whether a question is to be asked once more, and prepare it for that."""
        if one.fixed:
            self._topology.doubted |= isinstance(reply, UNAVAILABLE)
            return False
        node, one.node, one.asking = one.node, None, False
        if isinstance(reply, UNAVAILABLE) and not isinstance(reply, ResponseError):
            return self._elsewhere_now(one, node)
        if not isinstance(reply, ResponseError):
            return False
        if isinstance(reply, NoScriptError):
            one.by_source = True
        elif isinstance(reply, MovedError):
            self._topology.move(reply.slot_id, (reply.host or str(node and node[0]), reply.port))
        elif isinstance(reply, AskError):
            one.node, one.asking = (reply.host, reply.port), True
        elif not _is_moving(reply):
            self._topology.doubted |= is_refusal(reply)
            return False
        return True

    def _elsewhere_now(self, one: Question, node: Address | None) -> bool:
        """Doubt the map where a server does not answer; a script, or what was not sent at all, goes
        to who took its place.
        """
        self._topology.doubted = True
        if one.tried > 1 or (one.sent and not isinstance(one.call, Call)):
            return False
        self._topology.refresh()
        return node != self._topology.holder(str(one.call.key))


def _is_moving(reply: Any) -> bool:
    """Say whether keys are on their way to another server just now."""
    return isinstance(reply, TryAgainError) or (
        isinstance(reply, ResponseError) and ELSEWHERE in str(reply)
    )


def _fail(group: Sequence[Question], error: Exception, replies: list[Any]) -> None:
    for one in group:
        replies[one.number] = error
