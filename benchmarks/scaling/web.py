"""Measure the CPU that web processes and Redis take for a request over HTTP.

Linux only, because the benchmark reads /proc.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from redis import Redis

from benchmarks.crowds import crowd
from benchmarks.http import DEMO_LOGIN, WARM, Page, votes
from benchmarks.scaling.lines import Extent, Line
from benchmarks.seeds import Seeds
from benchmarks.servers import Server
from benchmarks.sites import rostra
from benchmarks.visitors import visiting
from voting.embedded.sockets import socket_url
from voting.service import connect
from voting.types import Rules

FORGOTTEN = 2_000
"""Number of different URLs of one thread, so that the site answers no request from its cache."""


def figures(extent: Extent) -> Iterator[Line]:
    """Measure each kind of page on a site with demo content."""
    with ExitStack() as stack:
        data = stack.enter_context(TemporaryDirectory(prefix="rostra-bench-"))
        pages = _pages(stack, data)
        url = socket_url(Path(data) / "valkey", 0)
        observer = stack.enter_context(Redis.from_url(url, decode_responses=True))
        server = Server(connect(url, Rules()), Seeds(observer), observer)
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
        for number in range(extent.rounds + WARM):
            for name, (_, page) in pages.items():
                cost = _cost(server, page, extent.calls // 2)
                if number >= WARM:
                    found[name].append(cost)
    for name, costs in found.items():
        web, redis = (median(values) for values in zip(*costs, strict=True))
        yield Line(f"web_{name}", f"{pages[name][0]}: CPU of the web processes", web, "ms")
        yield Line(f"redis_{name}", "the same: CPU of Redis", redis, "µs")


def _pages(stack: ExitStack, data: str) -> dict[str, tuple[str, Page]]:
    site = stack.enter_context(rostra(FORUM_DATA=data))
    people = stack.enter_context(crowd(site))
    guest, member = (stack.enter_context(visiting(site)) for _ in range(2))
    member.log_in(*DEMO_LOGIN)
    thread = guest.thread()
    comments = guest.get(thread).count('id="comment-')
    return {
        "guest": ("front page, guest", Page(site, people, [guest.request("/")])),
        "member": ("front page, member", Page(site, people, [member.request("/")])),
        "guest_thread": (
            f"thread of {comments} comments, guest, not cached",
            Page(site, people, [guest.request(f"{thread}?not={n}") for n in range(FORGOTTEN)]),
        ),
        "member_thread": ("the same, member", Page(site, people, [member.request(thread)])),
        "vote": ("vote by form", Page(site, people, votes(member), 303)),
    }


def _cost(server: Server, page: Page, calls: int) -> tuple[float, float]:
    """Request a page `calls` times and return the CPU per request.

    The first number is the CPU of the web processes in milliseconds, the second is the CPU of Redis
    in microseconds.
    """
    redis, web = server.cpu(), page.site.cpu()
    page.crowd.ask(page.requests, page.status, calls)
    web = page.site.cpu() - web
    return web / calls, (server.cpu() - redis) / calls
