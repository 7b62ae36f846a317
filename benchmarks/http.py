"""Measures the CPU time that a page of Rostra takes of the web process.

    .venv/bin/python -m benchmarks.http [--quick]

Starts the site with its demo content, and an empty Django view under the same gunicorn; asks for
pages one after the other over connections that stay open. Linux only: it reads /proc.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter

if not __package__:  # started by its path: this folder would hide `voting` and `http`
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.report import Figure, table, times
from benchmarks.sites import Site, empty_view, rostra
from benchmarks.visitors import Visitor, visiting

HEAD = ("what", "time", "CPU", "to empty", "to reach", "")
DEMO_LOGIN = ("bram", "rostra-demo-bram")
EMPTY = "an empty Django view"
TARGETS = {"front page, logged out": 0.8, "front page, logged in": 1.5}
"""Milliseconds of CPU a request."""
CALLS = 100
WARM = 2
"""Rounds that don't count, in which memories fill."""

Pages = Mapping[str, tuple[Site, Callable[[], object]]]


def main() -> None:
    """Measure everything and print the table."""
    parser = ArgumentParser(description="Measure the CPU time of pages.")
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    rounds = 7 if parser.parse_args().quick else 21
    with (
        empty_view() as empty,
        rostra() as site,
        visiting(empty) as nobody,
        visiting(site) as guest,
        visiting(site) as member,
    ):
        member.log_in(*DEMO_LOGIN)
        group = guest.group()
        pages = {
            EMPTY: (empty, lambda: nobody.get("/")),
            "front page, logged out": (site, lambda: guest.get("/")),
            "front page, logged in": (site, lambda: member.get("/")),
            "group page, logged out": (site, lambda: guest.get(group)),
            "group page, logged in": (site, lambda: member.get(group)),
            "vote, by form": (site, _voting(member)),
        }
        print(table(list(_figures(_measured(pages, rounds))), HEAD))


def _voting(member: Visitor) -> Callable[[], object]:
    """Return a call that votes up and takes the vote back, in turns."""
    path, token, states = member.open_post(), member.token(), cycle(("up", "none"))
    return lambda: member.post(
        path, {"vote": next(states), "next": "/", "csrfmiddlewaretoken": token}, 303
    )


def _measured(pages: Pages, rounds: int) -> dict[str, tuple[float, float]]:
    """Return time and CPU time of each page in ms, the medians of rounds taken in turns."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
    for number in range(rounds + WARM):
        for name, (site, call) in pages.items():
            cpu, began = site.cpu(), perf_counter()
            for _ in range(CALLS):
                call()
            took = (perf_counter() - began) * 1e3
            if number >= WARM:
                found[name].append((took / CALLS, (site.cpu() - cpu) / CALLS))
    return {
        name: (median(wall for wall, _ in costs), median(cpu for _, cpu in costs))
        for name, costs in found.items()
    }


def _figures(costs: Mapping[str, tuple[float, float]]) -> Iterator[Figure]:
    for name, (wall, cpu) in costs.items():
        target = TARGETS.get(name)
        yield Figure(
            name,
            f"{wall:.2f} ms",
            f"{cpu:.2f} ms",
            times(cpu / costs[EMPTY][1]),
            f"under {target} ms" if target else "",
            cpu < target if target else None,
        )


if __name__ == "__main__":
    main()
