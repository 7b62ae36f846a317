"""Measure how many bytes of Redis a post takes after it has left all rankings.

In this benchmark, a ranking has at most 100 posts. On a large site it has up to 100,000.
"""

from collections.abc import Iterator
from random import Random
from time import time

from benchmarks.memory import PEOPLE
from benchmarks.scaling.lines import Extent, Line, usage
from benchmarks.scaling.posts import WARMING, publish, settled
from benchmarks.servers import Server
from benchmarks.world import CARD, GROUPS
from voting.service import VotingService
from voting.types import Post, PostRecord, Rules

RANKED = 100
IN_GROUPS = 2
AGE = 40 * 86_400
"""Age of a closed post in seconds. It is longer than the voting window."""


def figures(server: Server, extent: Extent) -> Iterator[Line]:
    """Measure how many bytes of Redis a post takes if it is in no ranking.

    Measures posts on which people can still vote, and posts on which voting has closed.
    """
    short = VotingService(server.service.store, Rules(ranking_limit=RANKED))
    ids = iter(range(1, 100_000_000))
    publish(short, ids, 5 * WARMING, 3)
    before = settled(server)
    publish(short, ids, extent.posts, IN_GROUPS)
    grown = (settled(server) - before) / extent.posts
    yield Line("unlisted", "open post in no ranking any more, 2 groups", grown, "bytes")
    before, (_, ranks) = settled(server), usage(server, "{rank}:*")
    short.maintenance.loading.load_posts(_closed(extent.posts, ids))
    grown = (settled(server) - before) / extent.posts
    yield Line("kept", "closed post in no ranking any more, 2 groups", grown, "bytes")
    ranked = (usage(server, "{rank}:*")[1] - ranks) / extent.posts
    yield Line("kept_rank", "of it, under {rank}", ranked, "bytes")


def _closed(count: int, ids: Iterator[int]) -> Iterator[PostRecord]:
    chance, then = Random(count), int(time()) - AGE
    for _ in range(count):
        some = tuple(chance.sample(GROUPS, IN_GROUPS))
        yield PostRecord(Post(next(ids), chance.randrange(1, PEOPLE), then, some, CARD), 14, 0)
