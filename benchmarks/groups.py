"""Measure how long Redis blocks other clients while it builds a group's page."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from time import time

from benchmarks.measure import watched
from benchmarks.report import Figure, times
from benchmarks.servers import Server
from benchmarks.world import CARD
from voting import keys
from voting.service import VotingService, parse_mix
from voting.types import Direction, Order, Post, Target, Vote

REPEATS = 5
VIEWER = 7
MIXES = ("crowd+red+green+blue", "crowd&red", "crowd&few", "crowd~red", "crowd~red~green~few")
COMMAND_TARGET, MIX_TARGET = 5, 10
DEEP = 1_000
DAY = 86_400
FIRST_NEW, NEW_POSTS = 30_000_001, 50


def figures(server: Server, members: int) -> Iterator[Figure]:
    """Measure the time of the slowest Redis command, for several kinds of pages and for writes.

    The pages are listings of single groups and of combined groups. Listings of single groups are
    also measured on the simple voting site of `seeds.py`, for comparison.
    """
    for group, size in (("few", 1_000), ("crowd", members)):
        plain = _longest(server, partial(_fresh_plain_page, server, group))
        ours = _longest(server, partial(_all_pages, server.service, group))
        yield Figure(
            f"group of {size:,}: longest command",
            f"{plain:.1f} ms",
            f"{ours:.2f} ms",
            times(plain / ours),
            f"under {COMMAND_TARGET} ms",
            ours < COMMAND_TARGET,
        )
    for what, call, limit in _others(server, members):
        ours = _longest(server, call)
        yield Figure(what, "", f"{ours:.2f} ms", "", f"under {limit} ms", ours < limit)


def _others(server: Server, members: int) -> Iterator[tuple[str, Callable[[], object], int]]:
    new = count(FIRST_NEW)
    days = count(1)
    yield "mix of large groups: longest command", partial(_build_mixes, server), MIX_TARGET
    yield (
        f"votes, posts, moves in a group of {members:,}: longest command",
        lambda: _write(server.service, [next(new) for _ in range(NEW_POSTS)]),
        COMMAND_TARGET,
    )
    yield (
        "top of the day, two days later: longest command",
        lambda: _all_pages(_later(server.service, next(days) * 2 * DAY), "crowd"),
        COMMAND_TARGET,
    )


def _longest(server: Server, call: Callable[[], object]) -> float:
    """Return the time of the slowest Redis command that `call` sends, in milliseconds.

    Calls `call` several times, and returns the smallest of the measured times, because other load
    on the machine only makes commands slower.
    """
    found = []
    for _ in range(REPEATS):
        with watched(server) as longest:
            call()
        found += longest
    return min(found)


def _fresh_plain_page(server: Server, group: str) -> None:
    """Delete a group's cached listing in the plain site (see `seeds`), then read its page."""
    server.observer.delete(f"score:{group}")
    server.seeds.group_page(group, 1, VIEWER)


def _all_pages(service: VotingService, group: str) -> None:
    for order in Order:
        for number in (1, 2, DEEP):
            for direction in Direction:
                service.listings.page(
                    order, number, group=group, viewer=VIEWER, direction=direction
                )


def _build_mixes(server: Server) -> None:
    """For each mix (combined groups), empty the cache of mixes and read the mix's first page."""
    for expression in MIXES:
        for key in map(str, server.observer.zrange(keys.mixes(), 0, -1)):
            server.observer.delete(key)
        server.service.listings.page(Order.HOT, 1, group=parse_mix(expression), viewer=VIEWER)


def _write(service: VotingService, ids: list[int]) -> None:
    now = int(time())
    for post_id in ids:
        post = Post(post_id, VIEWER, now, ("crowd", "red"), CARD)
        service.posts.publish(post)
        service.votes.cast(VIEWER + 1, Target(post_id), Vote.DOWN)
        moved = replace(post, groups=("crowd", "blue"))
        service.posts.publish(moved)
        service.posts.retract(post_id)
        service.posts.publish(moved)


def _later(service: VotingService, seconds: int) -> VotingService:
    """Return a voting service with a clock that is `seconds` ahead."""
    return VotingService(service.store, service.rules, lambda: time() + seconds)
