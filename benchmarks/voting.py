"""Compare Rostra's voting with the plain site in `seeds.py`, on private servers.

    .venv/bin/python -m benchmarks.voting [--quick] [--awake]

Prints a table. `README.md` has the table of the last run and its duration.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks import groups, memory, pages, races, votes, world
from benchmarks.measure import awake
from benchmarks.report import Figure, table
from benchmarks.servers import Server, machine, private_server

SMALL = 1_000
RANKED = 100_000


@dataclass(frozen=True, slots=True)
class Extent:
    """How much to measure."""

    rounds: int
    posts: int
    """Number of posts on the large site."""


WHOLE = Extent(rounds=31, posts=1_000_000)
QUICK = Extent(rounds=9, posts=100_000)


def main() -> None:
    """Measure everything and print the table."""
    parser = ArgumentParser(description="Measure voting beside the plain way.")
    parser.add_argument("--quick", action="store_true", help="a big site of 100,000 posts")
    parser.add_argument("--awake", action="store_true", help="keep the cores from sleeping")
    arguments = parser.parse_args()
    extent = QUICK if arguments.quick else WHOLE
    began = monotonic()
    condition = awake() if arguments.awake else nullcontext()
    with condition, private_server() as small, private_server() as big:
        print(machine(small))
        print(table(list(_figures(small, big, extent))))
    print(f"{monotonic() - began:.0f} s")


def _figures(small: Server, big: Server, extent: Extent) -> Iterator[Figure]:
    world.load(small, world.small_world(SMALL))
    yield from votes.figures(small, SMALL, extent.rounds)
    yield from pages.figures(small, extent.rounds)
    yield from memory.figures(small)
    yield from races.figures(small)
    _note(f"filling a site with {extent.posts:,} posts ...")
    world.load(big, world.crowded_world(RANKED))
    world.copy(big, 1, "crowd", range(RANKED + 1, extent.posts + 1))
    yield from pages.growth(small, big, (SMALL, extent.posts), extent.rounds)
    yield from groups.figures(big, RANKED)


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
