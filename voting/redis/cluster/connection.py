"""The connection to a Redis Cluster: a `Store` that runs each script in steps (see `plans`)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.client import NEVER_DECODE, Pipeline
from redis.exceptions import RedisError

from voting.errors import StoreEmpty, StoreUnavailable, VotingError
from voting.redis.cluster.page_plans import Plan
from voting.redis.cluster.plans import plan
from voting.redis.cluster.requests import RoutedRequest, Router
from voting.redis.cluster.split_commands import KEYLESS, split
from voting.redis.connection import Store, translate, translated
from voting.redis.scripts import Argument, Command, Request
from voting.redis.topology import Address, Topology


class ClusterStore(Store):
    """A connection to the servers of a cluster. Threads may share it."""

    is_cluster = True

    def __init__(self, topology: Topology, seed: Address, wait_replicas: int = 0) -> None:
        super().__init__(Redis(connection_pool=topology.pool(seed)), wait_replicas)
        self.topology = topology
        self._router = Router(topology, self._replica_acks)

    @property
    def is_down(self) -> bool:
        """Return whether the breaker of any master is open, or no master is known."""
        masters = self.topology.masters()
        return any(self.topology.pool(one).breaker.is_open for one in masters) or not masters

    @property
    def slot_moves(self) -> int:
        """Return how often this process noticed that a slot had moved to another server."""
        return self.topology.moves

    def command(self, *words: Argument) -> Any:
        """Run one plain command and return its reply. One round trip.

        A command with several keys is split into one command per key, and the replies are joined. A
        command without keys runs on every master, and the first reply is returned.
        """
        if words[0] in KEYLESS or len(words) == 1:
            requests = [
                RoutedRequest(0, Command(words), node, fixed=True) for node in self._masters()
            ]
            replies = self._answers(requests)
            return self._parsed(words, replies[0])
        parts, join = split(words)
        return join([self._parsed(part, one) for part, one in self._plain(parts)])

    def raw(self, *words: Argument) -> bytes | None:
        """Run one plain command and return its reply as bytes. One round trip."""
        with translated():
            if self.topology.is_stale:
                self.topology.refresh()
            pool = self.topology.pool(self.topology.master(str(words[1])))
            execute: Callable[..., Any] = Redis(connection_pool=pool).execute_command
            reply: bytes | None = execute(*words, **{NEVER_DECODE: True})
            return reply

    def scan(self, pattern: str) -> Iterator[str]:
        """Yield all keys of the cluster that match `pattern`. One round trip per 1,000 keys."""
        for node in self._masters():
            cursor: Any = "0"
            while True:
                command = Command(("SCAN", cursor, "MATCH", pattern, "COUNT", self.SCAN_COUNT))
                ((cursor, found),) = self._answers([RoutedRequest(0, command, node, fixed=True)])
                yield from found
                if int(cursor) == 0:
                    break

    @contextmanager
    def pipeline(self) -> Iterator[Pipeline]:
        """Yield a pipeline for queued commands, which `execute()` sends. It isn't a transaction."""
        yield _Pipeline(self)

    def execute(self, queued: Sequence[tuple[Sequence[Argument], dict[str, Any]]]) -> list[Any]:
        """Run plain commands with one key each; return the replies as redis-py parses them.

        One round trip.
        """
        replies = self._plain([words for words, _ in queued])
        found = []
        for (words, options), (_, reply) in zip(queued, replies, strict=True):
            options.pop("keys", None)  # only for client-side caches
            found.append(self._parsed(words, reply, **options))
        return found

    # Scripts

    def _run(self, every: Sequence[Request], needed: int) -> list[Any]:
        """Run several calls together, each in one or more steps.

        Each round trip sends the next step of every unfinished call.
        """
        results: list[Any] = [None] * len(every)
        failed: list[Exception] = []
        plans = dict(enumerate(plan(call) for call in every))
        pending = {number: next(one) for number, one in plans.items()}
        while pending:
            calls = [call for some in pending.values() for call in some]
            replies = iter(self._ask(calls))
            current, pending = pending, {}
            for number, some in current.items():
                try:
                    pending[number] = _advance(plans[number], [next(replies) for _ in some])
                except StopIteration as done:
                    results[number] = done.value
                except (VotingError, RedisError) as error:
                    if number < needed or not _is_unavailable(error):
                        failed.append(error)
        if failed:
            raise failed[0]
        return results

    # Requests and replies

    def _plain(
        self, commands: Sequence[Sequence[Argument]]
    ) -> list[tuple[Sequence[Argument], Any]]:
        requests = [RoutedRequest(n, Command(tuple(words))) for n, words in enumerate(commands)]
        return list(zip(commands, self._answers(requests), strict=True))

    def _answers(self, requests: Sequence[RoutedRequest]) -> list[Any]:
        """Send requests and return the replies; raise the first error among the replies."""
        for number, request in enumerate(requests):
            request.number = number
        replies = self._router.send(requests)
        for reply in replies:
            if isinstance(reply, Exception):
                raise translate(reply) from reply
        return replies

    def _ask(self, calls: Sequence[Request]) -> list[Any]:
        """Return the replies to calls; errors are returned, not raised.

        One round trip, more if slots move.
        """
        replies = self._router.send([RoutedRequest(at, call) for at, call in enumerate(calls)])
        return [translate(reply) if isinstance(reply, Exception) else reply for reply in replies]

    def _masters(self) -> tuple[Address, ...]:
        if self.topology.is_stale:
            self.topology.refresh()
        found = self.topology.masters()
        if not found:
            raise StoreUnavailable("no server of the cluster answers")
        return found

    def _parsed(self, words: Sequence[Argument], reply: Any, **options: Any) -> Any:
        """Convert a raw reply to the value that redis-py returns for this command."""
        callbacks: Any = self.redis.response_callbacks
        parse = callbacks.get(words[0])
        return parse(reply, **options) if parse else reply


class _Pipeline(Pipeline):
    """A pipeline like redis-py's, whose commands a `ClusterStore` sends."""

    def __init__(self, store: ClusterStore) -> None:
        redis = store.redis
        super().__init__(redis.connection_pool, redis.response_callbacks, False, None)
        self._store = store

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Send the queued commands and return their replies. One round trip."""
        queued, self.command_stack = self.command_stack, []
        return self._store.execute(queued)


def _advance(one: Plan, replies: Sequence[Any]) -> Sequence[Request]:
    """Pass replies to a plan (a generator, see `plans`) and return the requests it yields next.

    If any reply is an error, raise the first such error inside the generator instead.
    """
    for reply in replies:
        if isinstance(reply, Exception):
            return one.throw(reply)
    return one.send(list(replies))


def _is_unavailable(error: Exception) -> bool:
    """Return whether an error means that a server is down, full or read-only."""
    return isinstance(error, StoreUnavailable) and not isinstance(error, StoreEmpty)
