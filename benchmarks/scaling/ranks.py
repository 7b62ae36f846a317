"""Measure how much CPU time the server that stores the rankings uses for a vote, view or page.

One master of a cluster stores all rankings and no posts. The other masters store all posts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import in_turns
from benchmarks.memory import PEOPLE
from benchmarks.scaling.lines import Extent, Line
from benchmarks.scaling.posts import publish
from benchmarks.seeds import Seeds
from benchmarks.servers import Server
from tests.cluster.nodes import running
from voting import keys
from voting.service import connect
from voting.types import Order, Rules, Target, Vote

AT_ONCE = 25
"""Number of posts in one call that updates rankings after votes were archived."""


def figures(extent: Extent) -> Iterator[Line]:
    """Start a cluster, and measure the CPU of the master that stores the rankings."""
    with _rankings() as (server, elsewhere):
        service, people = server.service, count(PEOPLE)
        some = {groups: publish(service, elsewhere, extent.posts, groups) for groups in (1, 3)}
        posts = {groups: cycle(ids) for groups, ids in some.items()}
        again = cycle([some[1][at : at + AT_ONCE] for at in range(0, len(some[1]), AT_ONCE)])

        def vote(groups: int) -> None:
            service.votes.cast(next(people), Target(next(posts[groups])), Vote.UP)

        calls = {
            "rank_vote1": ("vote, 1 group", lambda: vote(1)),
            "rank_vote3": ("vote, 3 groups", lambda: vote(3)),
            "rank_again": (
                "vote archived, 1 group",
                lambda: service.maintenance.ledger.rerank(next(again)),
            ),
            "rank_view": (
                "counted view, 1 group",
                lambda: service.views.count(next(posts[1]), f"u{next(people)}"),
            ),
            "rank_page": (
                "page of 25 with own votes",
                lambda: service.listings.page(Order.HOT, 1, viewer=next(people)),
            ),
            "rank_thread": (
                "post's rank, for its own page",
                lambda: service.posts.standing(next(posts[1])),
            ),
        }
        ways = {name: (server, call) for name, (_, call) in calls.items()}
        costs = in_turns(ways, rounds=extent.rounds, calls=extent.calls)
        for name, (what, _) in calls.items():
            spent = costs.typical(name).cpu / (AT_ONCE if name == "rank_again" else 1)
            yield Line(name, f"cluster, {what}: CPU of the rankings' master", spent, "µs")


@contextmanager
def _rankings() -> Iterator[tuple[Server, Iterator[int]]]:
    """Start a cluster. Yield the master that stores the rankings, and ids for new posts.

    The ids are chosen so that the cluster stores these posts on other masters.
    """
    with TemporaryDirectory(prefix="rostra-bench-") as place, running(Path(place)) as cluster:
        holder = cluster.master_of(keys.RANK_TAG)
        shards = [
            shard
            for shard in range(keys.SHARDS)
            if cluster.master_of(keys.shard_tag(shard)) is not holder
        ]
        service = connect(cluster.url, Rules())
        service.maintenance.generations.open()
        with holder.plain as observer:
            ids = (number for number in count(1) if keys.shard(number) in shards)
            yield Server(service, Seeds(observer), observer), ids
