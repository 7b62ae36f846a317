"""Measure the memory, disk space and CPU that votes, posts, comments and people take.

    .venv/bin/python -m benchmarks.scale [--quick] [PART ...]

Prints the measured costs. If all parts were measured, also prints the memory, disk space and CPU
cores that sites of several sizes need.
The parts are memory and work (one Redis server), ranks (a Redis cluster), sql (SQLite, or the
PostgreSQL that TEST_DATABASE_URL names) and web (web processes, Linux only).
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from time import monotonic

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks import inside
from benchmarks.scaling import forecast, old_posts, people, posts, ranks, web, work
from benchmarks.scaling.lines import Extent, Line, table
from benchmarks.servers import machine, private_server

WHOLE = Extent(posts=2_000, rounds=15, calls=200, crowds=(100, 1_000, 60_000, 70_000))
QUICK = Extent(posts=60, rounds=2, calls=10, crowds=(100,))


def main() -> None:
    """Measure the requested parts and print the tables."""
    parser = ArgumentParser(description="Measure what a site of any size needs.")
    parser.add_argument("--quick", action="store_true", help="so little that figures mean nothing")
    parser.add_argument("part", nargs="*", help=f"{', '.join(PARTS)}; all unless named")
    options = parser.parse_args()
    parts = options.part or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    extent, began, lines = QUICK if options.quick else WHOLE, monotonic(), list[Line]()
    for part in parts:
        print(f"{part} ...", file=sys.stderr, flush=True)
        lines += PARTS[part](extent)
    with private_server() as server:
        print(machine(server))
    print(table(lines))
    if set(parts) == set(PARTS):
        print(f"\n{forecast.table(lines)}")
    print(f"{monotonic() - began:.0f} s")


def _memory(extent: Extent) -> Iterator[Line]:
    for part in (posts, old_posts, people):
        with private_server() as server:
            yield from part.figures(server, extent)


def _work(extent: Extent) -> Iterator[Line]:
    with private_server() as server:
        yield from work.figures(server, extent)


def _sql(extent: Extent) -> Iterator[Line]:
    with inside.site(os.environ.get("TEST_DATABASE_URL", "")) as observer:
        contents = import_module("benchmarks.scaling.contents")  # models need the site's settings
        yield from contents.figures(observer, extent)


PARTS: dict[str, Callable[[Extent], Iterator[Line]]] = {
    "memory": _memory,
    "work": _work,
    "ranks": ranks.figures,
    "sql": _sql,
    "web": web.figures,
}


if __name__ == "__main__":
    main()
