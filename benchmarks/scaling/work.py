"""Measure each action's CPU time in Redis, and the bytes it adds to the append-only file."""

from collections.abc import Callable, Iterator
from itertools import count, cycle
from time import time

from benchmarks.measure import in_turns
from benchmarks.memory import PEOPLE
from benchmarks.scaling.lines import Extent, Line, usage
from benchmarks.scaling.posts import SHOWN, journal, publish
from benchmarks.servers import Server
from forum.config.rate_limits import EVERYBODY
from voting.types import Order, Target, Vote
from voting.types.comments import Comment
from voting.types.limits import RateLimit, Window

WINDOWS = tuple(Window(*map(int, part.split("/"))) for part in EVERYBODY["vote"].split())
PAGE = "cpu_page"
"""The name of the action that reads a page. It writes nothing to the append-only file."""
Calls = dict[str, tuple[str, Callable[[], object]]]
"""Functions that do one action each, with a description, by the action's name."""


def figures(server: Server, extent: Extent) -> Iterator[Line]:
    """Measure each action: its CPU in Redis, and its bytes in the append-only file.

    Also measures the memory that the rate limit of one person takes.
    """
    calls = _calls(server, extent.posts)
    ways = {name: (server, call) for name, (_, call) in calls.items()}
    costs = in_turns(ways, rounds=extent.rounds, calls=extent.calls)
    for name, (what, _) in calls.items():
        cost = costs.typical(name)
        yield Line(name, f"{what}: CPU of the server", cost.cpu, "µs")
    cost = costs.typical("cpu_vote1")
    what = "vote, 1 group: time in the script, lowest when many calls are sent at once"
    yield Line("script", what, cost.scripts, "µs")
    yield Line("caller", "vote, 1 group: CPU of redis-py and the service", cost.caller, "µs")
    for name, (what, call) in calls.items():
        if name == PAGE:
            continue
        before = journal(server)
        for _ in range(extent.calls):
            call()
        grown = (journal(server) - before) / extent.calls
        yield Line(name.replace("cpu", "aof"), f"{what}: append-only file", grown, "bytes")
    many, windows = usage(server, "{w:*}:*")
    yield Line("window", "rate limit of a person who just voted", windows / many, "bytes")


def _calls(server: Server, posts: int) -> Calls:
    """Publish posts, some with a comment. Return a function for each action to measure.

    Each call does the action once, usually as a new person.
    """
    service, ids, people = server.service, count(1), count(PEOPLE)
    single, threes = (publish(service, ids, posts, groups) for groups in (1, 3))
    talk = [Comment(next(ids), post_id, 7, int(time()), SHOWN) for post_id in single]
    service.comments.publish(*talk)
    targets = {
        "1": cycle([Target(post_id) for post_id in single]),
        "3": cycle([Target(post_id) for post_id in threes]),
        "c": cycle([Target(one.post_id, one.id) for one in talk]),
    }
    opened = cycle(single)

    def vote(where: str) -> None:
        person = next(people)
        pace = RateLimit(f"u{person}", "vote", WINDOWS)
        service.votes.cast(person, next(targets[where]), Vote.UP, limit=pace)

    def comment() -> None:
        made = Comment(next(ids), next(opened), next(people), int(time()), SHOWN)
        service.comments.publish(made)

    return {
        "cpu_vote1": ("vote, 1 group", lambda: vote("1")),
        "cpu_vote3": ("vote, 3 groups", lambda: vote("3")),
        "cpu_comment_vote": ("vote on a comment", lambda: vote("c")),
        "cpu_comment": ("new comment", comment),
        "cpu_post": ("new post, 3 groups", lambda: publish(service, ids, 1, 3)),
        "cpu_view": (
            "counted view, 1 group",
            lambda: service.views.count(next(opened), f"u{next(people)}"),
        ),
        PAGE: (
            "page of 25 with own votes",
            lambda: service.listings.page(Order.HOT, 1, viewer=next(people)),
        ),
    }
