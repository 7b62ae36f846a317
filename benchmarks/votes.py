"""Measure the cost of one vote: round trips, time through redis-py, and CPU of the server."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle

from benchmarks.measure import Costs, in_turns, round_trips
from benchmarks.report import Figure, times
from benchmarks.servers import Server
from voting.redis.queries import fetch_all
from voting.topics.votes import vote_query
from voting.types import Target, Vote

FIRST_VOTER = 100_000
CALLS = 100
TOGETHER = 20
"""Number of votes in one round trip. This measures the cost of a vote on a busy server."""
TIME_TARGET, CPU_TARGET = 3, 70
UP_ONLY, UP_AND_DOWN = "up only", "up and down"


def figures(server: Server, posts: int, rounds: int) -> Iterator[Figure]:
    """Measure the cost of new votes on the plain site in `seeds.py` and on Rostra.

    On Rostra, measures votes on posts in one group, and on posts in three groups.
    """
    yield _round_trips(server)
    everything, voters = cycle(range(1, posts + 1)), count(FIRST_VOTER)
    seeds = server.seeds
    costs = in_turns(
        {
            UP_ONLY: (server, lambda: seeds.upvote(next(voters), next(everything))),
            UP_AND_DOWN: (server, lambda: seeds.change(next(voters), next(everything), Vote.UP)),
            "1 group": (server, _ours(server, range(2, posts + 1, 2))),
            "3 groups": (server, _ours(server, range(1, posts + 1, 2))),
        },
        rounds=rounds,
        calls=CALLS,
    )
    for way in ("1 group", "3 groups"):
        yield from _compared(costs, way)
    yield from _awake(server, posts, rounds)


def _ours(server: Server, ids: range) -> Callable[[], object]:
    voters, posts = count(FIRST_VOTER), cycle(ids)
    return lambda: server.service.votes.cast(next(voters), Target(next(posts)), Vote.UP)


def _awake(server: Server, posts: int, rounds: int) -> Iterator[Figure]:
    """Measure the server's CPU time for one vote when many votes are sent in one round trip.

    For comparison, also measure the CPU time for a PING.
    """
    service, voters = server.service, count(2 * FIRST_VOTER)

    def together(ids: range) -> Callable[[], object]:
        some = cycle(ids)

        def cast() -> object:
            now = service.now()
            casts = [(next(voters), Target(next(some)), Vote.UP) for _ in range(TOGETHER)]
            ours = (vote_query(service.store, service.rules, now, *one) for one in casts)
            return fetch_all(service.store, *ours)

        return cast

    ways = {"1 group": range(2, posts + 1, 2), "3 groups": range(1, posts + 1, 2)}
    costs = in_turns(
        {
            "PING": (server, server.observer.ping),
            **{way: (server, together(ids)) for way, ids in ways.items()},
        },
        rounds=rounds,
        calls=CALLS // TOGETHER,
    )
    for way in ways:
        each = costs.typical(way).cpu / TOGETHER
        yield Figure(f"vote, {way}: CPU of the server, {TOGETHER} in a trip", "", f"{each:.0f} µs")
    yield Figure(
        "PING, for comparison: CPU of the server", "", f"{costs.typical('PING').cpu:.0f} µs"
    )


def _round_trips(server: Server) -> Figure:
    """Count the round trips to cast, change and remove a vote, on the plain site and on Rostra."""
    seeds, service = server.seeds, server.service
    service.votes.cast(FIRST_VOTER - 1, Target(2), Vote.UP)
    up_only = round_trips(server, partial(seeds.upvote, 1, 1))
    states = (Vote.UP, Vote.DOWN, Vote.NONE)
    plain = [round_trips(server, partial(seeds.change, 1, 2, state)) for state in states]
    ours = [
        round_trips(server, partial(service.votes.cast, 1, Target(2), state)) for state in states
    ]
    return Figure(
        "vote: round trips",
        f"{min(up_only, *plain)}-{max(up_only, *plain)}",
        str(max(ours)),
        target="1",
        reached=max(ours) == 1,
    )


def _compared(costs: Costs, way: str) -> Iterator[Figure]:
    """Compare Rostra's votes with votes on the plain site in `seeds.py`.

    The plain site has two kinds of votes: up only (`Seeds.upvote`), and up or down
    (`Seeds.change`). Rostra should be faster than the second kind by the factor `TIME_TARGET`.
    """
    less, plain, ours = (costs.typical(each) for each in (UP_ONLY, UP_AND_DOWN, way))
    ratios = [costs.wall_ratio(each, way) for each in (UP_ONLY, UP_AND_DOWN)]
    yield Figure(
        f"vote, {way}: time (plain: up only, up and down)",
        f"{less.wall:.0f}, {plain.wall:.0f} µs",
        f"{ours.wall:.0f} µs",
        ", ".join(times(ratio) for ratio in ratios),
        f"{TIME_TARGET}x",
        ratios[1] >= TIME_TARGET,
    )
    yield Figure(
        f"vote, {way}: CPU of the server",
        f"{less.cpu:.0f}, {plain.cpu:.0f} µs",
        f"{ours.cpu:.0f} µs",
        f"{times(less.cpu / ours.cpu)}, {times(plain.cpu / ours.cpu)}",
        f"under {CPU_TARGET} µs",
        ours.cpu < CPU_TARGET,
    )
