"""Measure the memory of voter sets, in bytes per vote."""

from collections.abc import Iterator
from random import Random
from time import time

from benchmarks.report import Figure, times
from benchmarks.servers import Server
from benchmarks.world import CARD
from voting import keys
from voting.types import Post, PostRecord, Target

CROWDS = (10, 100, 1_000, 10_000, 60_000)
PEOPLE = 1_000_000
FIRST_POST = 10_000_000
TARGET = 6
FROM = 100
"""The smallest number of voters for which the goal applies.

With fewer voters, the Redis key itself takes more memory than the votes.
"""
INTSET = "set-max-intset-entries"
USUAL_INTSET = 512
"""Redis's default: a set of at most this many integers is stored in a compact form."""


def figures(server: Server) -> Iterator[Figure]:
    """Compare the memory of three sets of voters: user names, user ids, and Rostra's voter set.

    The sets of names and of ids use Redis's default settings.
    """
    rnd = Random(5)
    for at, size in enumerate(CROWDS):
        people = rnd.sample(range(1, PEOPLE), size)
        names = _usual_set(server, [f"user:{person}" for person in people]) / size
        integers = _usual_set(server, people) / size
        ours = voter_set(server, FIRST_POST + at, people) / size
        yield Figure(
            f"memory a vote, {size:,} voters (plain: names, integers)",
            f"{names:.1f}, {integers:.1f} bytes",
            f"{ours:.1f} bytes",
            times(names / ours),
            f"under {TARGET} bytes" if size >= FROM else "",
            ours < TARGET if size >= FROM else None,
        )


def _usual_set(server: Server, members: list[str] | list[int]) -> int:
    """Return how many bytes Redis, with its default settings, needs to store `members` in a set."""
    ours = server.observer.config_get(INTSET)[INTSET] or ""
    server.observer.config_set(INTSET, USUAL_INTSET)
    key = f"voted:{len(members)}"
    for member in members:
        server.observer.sadd(key, member)
    used = server.observer.memory_usage(key, samples=0)
    server.observer.config_set(INTSET, ours)
    server.observer.delete(key)
    return int(used or 0)


def voter_set(server: Server, post_id: int, people: list[int]) -> int:
    """Store a post with these voters in Rostra, and return the voter set's size in bytes.

    One vote in ten is a down vote.
    """
    downs = len(people) // 10
    post = Post(post_id, people[-1], int(time()), (), CARD)
    ups, against = tuple(people[downs:]), tuple(people[:downs])
    server.service.maintenance.loading.load_posts(
        [PostRecord(post, len(ups), len(against), ups, against)]
    )
    key = keys.voters(Target(post_id))
    return int(server.observer.memory_usage(key, samples=0) or 0)
