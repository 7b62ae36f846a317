"""Measure how many bytes of Redis the data about a person takes.

The data includes viewed and liked posts, follows, leaderboards, visitors and days of activity.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from random import Random
from time import time
from types import MappingProxyType

from benchmarks.memory import PEOPLE
from benchmarks.scaling.lines import Extent, Line, data_bytes, usage
from benchmarks.scaling.posts import publish
from benchmarks.servers import Server
from benchmarks.world import GROUPS
from voting.keys import daily
from voting.topics.person_lists import visit_call
from voting.types.boards import BoardKey, BoardKind
from voting.types.inbox import UnreadCounts
from voting.types.people import PersonCounts
from voting.types.person_lists import MAX_LIKED, MAX_VIEWED

FOLLOWED = 20
VISITORS = 100
VIEWED_POST = 9
POSTS = 10_000_000
"""The highest id of a post that people view or like. Seven digits are usual on a large site."""


def figures(server: Server, extent: Extent) -> Iterator[Line]:
    """Measure how many bytes of Redis each kind of data about a person takes."""
    some = Random(6).sample(range(1, PEOPLE), max(10, extent.posts // 10))
    for name, what, give in (
        ("viewed", f"person's last {MAX_VIEWED} viewed posts (30 days)", _view),
        ("liked", f"person's last {MAX_LIKED} liked posts", _like),
        ("follows", f"person who follows {FOLLOWED} people and {len(GROUPS)} groups", _follow),
        ("counts", "person's counters and unread inbox items", _count),
    ):
        before = data_bytes(server)
        for person in some:
            give(server, person)
        yield Line(name, what, (data_bytes(server) - before) / len(some), "bytes")
    yield from _boards(server, extent.posts)
    yield from _visitors(server)
    server.service.activity.record(daily.ACTIVITY_BITS - 1)
    _, piece = usage(server, "{act*}:day:*")
    spent = piece / daily.ACTIVITY_BITS
    yield Line("here", "day of activity, per account (400 days)", spent, "bytes")


def _view(server: Server, person: int) -> None:
    now, posts = int(time()), Random(person).sample(range(1, POSTS), MAX_VIEWED)
    calls = (visit_call(person, post_id, 12, now) for post_id in posts)
    server.service.store.run(*calls)


def _like(server: Server, person: int) -> None:
    posts = Random(-person).sample(range(1, POSTS), MAX_LIKED)
    server.service.person_lists.set_liked({(person, post_id): time() for post_id in posts})


def _follow(server: Server, person: int) -> None:
    others = Random(person).sample(range(1, PEOPLE), FOLLOWED)
    server.service.follows.fill((person, other, time()) for other in others)
    server.service.follows.fill_groups((person, group, time()) for group in GROUPS)


def _count(server: Server, person: int) -> None:
    server.service.people.set_counts({person: PersonCounts(3, 12, 260, 140)})
    types = MappingProxyType({"reply": 2, "mention": 1})
    server.service.inbox.put([UnreadCounts(person, types, int(time() * 1e6))])


def _boards(server: Server, count: int) -> Iterator[Line]:
    """Measure how many bytes of Redis one entry of yesterday's leaderboards takes."""
    yesterday, before = server.service.activity.today() - timedelta(days=1), data_bytes(server)
    spots = {
        BoardKey(yesterday, group, kind, subject): 5
        for group in ("", *GROUPS)
        for kind in BoardKind
        for subject in range(POSTS, POSTS + count)
    }
    lines = iter(spots.items())
    while some := dict(islice(lines, 500)):
        server.service.boards.write(some)
    grown = (data_bytes(server) - before) / len(spots)
    yield Line("board", "line of a day's leaderboard, under {rank} (41 days)", grown, "bytes")


def _visitors(server: Server) -> Iterator[Line]:
    """Measure how many bytes Redis needs to remember the people who visited a post on one day."""
    publish(server.service, iter((VIEWED_POST,)), 1, 1)
    for visitor in range(VISITORS):
        server.service.views.count(VIEWED_POST, f"u{visitor}")
    _, spent = usage(server, f"*:{VIEWED_POST}:visitors:*")
    yield Line("visitors", f"{VISITORS} visitors of a post on a day (3 days)", spent, "bytes")
