"""Measure the cost of a listing with 25 posts and the viewer's votes."""

from collections.abc import Callable, Iterator

from benchmarks.measure import in_turns, round_trips
from benchmarks.report import Figure, times
from benchmarks.servers import Server
from voting.types import Order

VIEWER = 77
GROWTH = 1.3


def figures(server: Server, rounds: int) -> Iterator[Figure]:
    """Measure a listing's first page on the plain site in `seeds.py` and on Rostra."""
    plain, ours = _plain(server), _ours(server)
    ours()
    trips = round_trips(server, ours)
    yield Figure(
        "page of 25 with own votes: round trips",
        str(round_trips(server, plain)),
        str(trips),
        "",
        "1",
        trips == 1,
    )
    costs = in_turns({"plain": (server, plain), "ours": (server, ours)}, rounds=rounds, calls=20)
    slow, fast = costs.typical("plain"), costs.typical("ours")
    ratio = costs.wall_ratio("plain", "ours")
    yield Figure(
        "page: time",
        f"{slow.wall / 1e3:.1f} ms",
        f"{fast.wall / 1e3:.2f} ms",
        times(ratio),
        "15x",
        ratio >= 15,
    )
    yield Figure(
        "page: CPU of the server",
        f"{slow.cpu:.0f} µs",
        f"{fast.cpu:.0f} µs",
        times(slow.cpu / fast.cpu),
    )


def growth(small: Server, big: Server, sizes: tuple[int, int], rounds: int) -> Iterator[Figure]:
    """Compare the cost of a listing's first page on a small site and on a large site."""
    costs = in_turns(
        {
            "small": (small, _ours(small)),
            "big": (big, _ours(big)),
            "plain small": (small, _plain(small)),
            "plain big": (big, _plain(big)),
        },
        rounds=rounds,
        calls=20,
    )
    ratio = costs.wall_ratio("big", "small")
    yield Figure(
        f"same page, {sizes[1]:,} posts against {sizes[0]:,}",
        f"{costs.wall_ratio('plain big', 'plain small'):.2f}x",
        f"{ratio:.2f}x",
        "",
        f"at most {GROWTH}x",
        ratio <= GROWTH,
    )


def _plain(server: Server) -> Callable[[], object]:
    return lambda: server.seeds.page(1, VIEWER)


def _ours(server: Server) -> Callable[[], object]:
    return lambda: server.service.listings.page(Order.HOT, 1, viewer=VIEWER)
