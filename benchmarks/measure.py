"""Measures several ways of doing a task alternately, and compares their median costs."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from multiprocessing import Process, cpu_count
from statistics import median
from time import perf_counter, process_time

from benchmarks.servers import Server

SLOW = 100
"""In a `watched` block, Redis logs each command that takes at least this many microseconds."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one call in microseconds: elapsed time, and CPU time of server and caller."""

    wall: float
    cpu: float
    """CPU time of the server."""
    scripts: float
    """The part of `cpu` that the server spent in scripts."""
    caller: float
    """CPU time of the calling process."""


class Costs:
    """The measured costs of several ways to do a task. Each round measured every way once."""

    def __init__(self, rounds: Mapping[str, list[Cost]]) -> None:
        self._rounds = rounds

    def typical(self, way: str) -> Cost:
        """Return the median of the costs that were measured in all rounds for one way."""
        costs = [astuple(cost) for cost in self._rounds[way]]
        return Cost(*(median(values) for values in zip(*costs, strict=True)))

    def wall_ratio(self, slow: str, fast: str) -> float:
        """Return how many times longer `slow` takes than `fast`.

        This is the median of the ratios of all rounds.
        """
        pairs = zip(self._rounds[slow], self._rounds[fast], strict=True)
        return median(one.wall / other.wall for one, other in pairs)


def in_turns(
    ways: Mapping[str, tuple[Server, Callable[[], object]]], *, rounds: int, calls: int
) -> Costs:
    """Measure several functions (`ways`) alternately. In each round, call each one `calls` times.

    An additional first round is a warm-up, whose costs aren't counted.
    """
    found: dict[str, list[Cost]] = {way: [] for way in ways}
    for number in range(rounds + 1):
        for way, (server, call) in ways.items():
            cost = _cost(server, call, calls)
            if number:
                found[way].append(cost)
    return Costs(found)


def _cost(server: Server, call: Callable[[], object], calls: int) -> Cost:
    scripts, cpu = server.scripts(), server.cpu()
    caller, began = process_time(), perf_counter()
    for _ in range(calls):
        call()
    wall, caller = perf_counter() - began, process_time() - caller
    cpu = server.cpu() - cpu
    spent = (wall * 1e6, cpu, server.scripts() - scripts, caller * 1e6)
    return Cost(*(one / calls for one in spent))


def round_trips(server: Server, call: Callable[[], object]) -> int:
    """Return how many round trips to Redis `call` makes. Exact only for small requests."""
    before = server.reads()
    call()
    return server.reads() - before - 1


@contextmanager
def awake() -> Iterator[None]:
    """Keep every CPU core busy until the block ends, with loops of the lowest priority.

    Otherwise cores sleep between calls. On a virtual machine, waking a core can cost more than the
    call.
    """
    loops = [Process(target=_loop, daemon=True) for _ in range(cpu_count())]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.join()


def _loop() -> None:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass


@contextmanager
def watched(server: Server) -> Iterator[list[float]]:
    """Measure the slowest Redis command that runs in the `with` block.

    Yields an empty list. At the end of the block, the time (ms) of that command is put into it.
    """
    server.observer.config_set("slowlog-log-slower-than", SLOW)
    server.observer.config_set("slowlog-max-len", 10_000)
    server.observer.slowlog_reset()
    longest: list[float] = []
    yield longest
    entries = server.observer.slowlog_get(10_000)
    server.observer.config_set("slowlog-log-slower-than", -1)
    longest.append(max((entry["duration"] for entry in entries), default=SLOW) / 1e3)
