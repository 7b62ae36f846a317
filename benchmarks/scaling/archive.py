"""Measure how many bytes votes take in SQL, and how much CPU it takes to copy votes there.

Import this only within `inside.site`, because it imports models.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter, process_time

from benchmarks.scaling import tables
from benchmarks.scaling.lines import Line
from benchmarks.servers import Server
from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, LedgerEntry, Post, User
from voting.types import Target, Vote

TURNS = 4
"""Number of votes that each post gets in each measurement."""
OF_VOTES = (LedgerEntry, ArchivedVote)
Voters = list[list[User]]
"""The voters of each turn. In a turn, the first person votes on the first post, and so on."""


@dataclass(frozen=True, slots=True)
class _Spent:
    """The number of archived votes, and how many microseconds each vote took on average.

    `worker` is CPU time of the worker, `wall` is elapsed time, and `redis` is CPU time of Redis.
    """

    votes: int
    worker: float
    wall: float
    redis: float


def figures(
    server: Server, people: list[User], posts: list[Post], chance: Random
) -> Iterator[Line]:
    """Measure the SQL space and the CPU that it takes to archive new votes and changed votes.

    Before that, give every post two votes, so that leaderboards contain all posts.
    """
    archiver = Archiver("benchmark")

    def archived(pieces: list[Voters], vote: Vote) -> _Spent:
        return _archived(server, archiver, posts, pieces, vote)

    early, prompt, late = (
        _voters(people, len(posts), turns, chance) for turns in (2, TURNS, TURNS)
    )
    archived([early], Vote.UP)
    size, spent = tables.grown(lambda: archived([[some] for some in prompt], Vote.UP), OF_VOTES)
    yield tables.line("sql_vote", "vote: ledger and archive", size / spent.votes)
    what = "archiving a vote, each on another post"
    yield Line("archive", f"{what}: CPU of the worker", spent.worker, "µs")
    yield Line("archive_time", "the same, elapsed time", spent.wall, "µs")
    yield Line("archive_redis", "the same: CPU of the server of votes", spent.redis, "µs")
    spent = archived([late], Vote.UP)
    what = f"archiving a vote, {TURNS} on each post at once"
    yield Line("late", f"{what}: CPU of the worker", spent.worker, "µs")
    size, spent = tables.grown(lambda: archived([late], Vote.DOWN), OF_VOTES)
    yield tables.line("sql_change", "vote changed: ledger", size / spent.votes)


def _voters(people: list[User], posts: int, turns: int, chance: Random) -> Voters:
    return [chance.choices(people, k=posts) for _ in range(turns)]


def _archived(
    server: Server, archiver: Archiver, posts: list[Post], pieces: list[Voters], vote: Vote
) -> _Spent:
    """Cast votes, and archive them in SQL as the worker does. Return the cost of archiving."""
    votes, redis, worker, wall = 0, 0.0, 0.0, 0.0
    for turns in pieces:
        for people in turns:
            for post, person in zip(posts, people, strict=True):
                server.service.votes.cast(person.pk, Target(post.pk), vote)
        redis, worker, wall = redis - server.cpu(), worker - process_time(), wall - perf_counter()
        while written := archiver.step(block_ms=1):
            votes += written
        redis, worker, wall = redis + server.cpu(), worker + process_time(), wall + perf_counter()
    return _Spent(votes, worker / votes * 1e6, wall / votes * 1e6, redis / votes)
