"""Measure the CPU time that a page costs the web process.

    .venv/bin/python -m benchmarks.http [--quick]

Measures a site with demo content, and for comparison a site with one empty page. Linux only,
because the benchmark reads /proc.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.crowds import Crowd, crowd
from benchmarks.report import Figure, table, times
from benchmarks.sites import Site, empty_view, rostra
from benchmarks.visitors import Visitor, visiting

HEAD = ("what", "a second", "CPU", "to empty", "to reach", "")
DEMO_LOGIN = ("bram", "rostra-demo-bram")
LIST = "/api/v1/lists/hot"
COMMENT = 'id="comment-'
EMPTY = "an empty Django view"
TARGETS = {"front page, logged out": 0.8, "front page, logged in": 1.5}
"""Goals in milliseconds of CPU per request, on a machine where an empty view takes `EMPTY_VIEW`."""
EMPTY_VIEW = 0.37
"""Milliseconds of CPU per request of an empty view, on the machine used to set the goals.

On a slower machine, the goals rise in proportion.
"""
CALLS = 400
WARM = 2
"""Number of unmeasured rounds at the beginning, which fill the caches."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page to measure: its site, the requests, and the clients that send these requests."""

    site: Site
    crowd: Crowd
    requests: Sequence[bytes]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a page: requests per second, and CPU of the web processes per request in ms."""

    rate: float
    cpu: float


def main() -> None:
    """Measure every page and print the table."""
    parser = ArgumentParser(description="Measure the CPU time of pages.")
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    rounds = 5 if parser.parse_args().quick else 15
    with ExitStack() as stack:
        pages = _pages(stack)
        print(table(list(_figures(_measured(pages, rounds))), HEAD))


def _pages(stack: ExitStack) -> dict[str, Page]:
    empty, site = stack.enter_context(empty_view()), stack.enter_context(rostra())
    nobody, people = stack.enter_context(crowd(empty)), stack.enter_context(crowd(site))
    guest, member = (stack.enter_context(visiting(site)) for _ in range(2))
    member.log_in(*DEMO_LOGIN)
    group, thread = guest.group(), guest.thread()
    talk = f"thread of {guest.get(thread).count(COMMENT)} comments"
    return {
        EMPTY: Page(empty, nobody, [guest.request("/")]),
        "front page, logged out": Page(site, people, [guest.request("/")]),
        "front page, logged in": Page(site, people, [member.request("/")]),
        "front page as JSON, without a token": Page(site, people, [guest.request(LIST)]),
        "front page as JSON, with a token": Page(site, people, [member.program().request(LIST)]),
        "group page, logged out": Page(site, people, [guest.request(group)]),
        "group page, logged in": Page(site, people, [member.request(group)]),
        f"{talk}, logged out": Page(site, people, [guest.request(thread)]),
        f"{talk}, logged in": Page(site, people, [member.request(thread)]),
        "vote, by form": Page(site, people, votes(member), 303),
    }


def votes(member: Visitor) -> list[bytes]:
    """Return two requests to vote: the first votes a post up, the second removes that vote."""
    path, token = member.open_post(), member.token()
    common = {"next": "/", "csrfmiddlewaretoken": token}
    return [member.request(path, {"vote": vote, **common}) for vote in ("up", "none")]


def _measured(pages: dict[str, Page], rounds: int) -> dict[str, Cost]:
    """Return the median cost of each page over several rounds."""
    found: dict[str, list[Cost]] = {name: [] for name in pages}
    for number in range(rounds + WARM):
        for name, page in pages.items():
            cost = _cost(page)
            if number >= WARM:
                found[name].append(cost)
    return {
        name: Cost(median(cost.rate for cost in costs), median(cost.cpu for cost in costs))
        for name, costs in found.items()
    }


def _cost(page: Page) -> Cost:
    cpu, began = page.site.cpu(), perf_counter()
    page.crowd.ask(page.requests, page.status, CALLS)
    took = perf_counter() - began
    return Cost(CALLS / took, (page.site.cpu() - cpu) / CALLS)


def _figures(costs: dict[str, Cost]) -> Iterator[Figure]:
    for name, cost in costs.items():
        ratio = cost.cpu / costs[EMPTY].cpu
        target = TARGETS.get(name, 0) / EMPTY_VIEW
        yield Figure(
            name,
            f"{cost.rate:,.0f}",
            f"{cost.cpu:.2f} ms",
            times(ratio),
            f"under {times(target)}" if target else "",
            ratio < target if target else None,
        )


if __name__ == "__main__":
    main()
