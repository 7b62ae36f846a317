"""Measure the memory and the query times of daily activity, for 10^8 people.

    .venv/bin/python -m benchmarks.activity

For each day, the site stores one bit per person (active or not), split into many bitmaps. For
comparison, the table has a second column for a single bitmap per day. The benchmark needs 300 MB of
memory and takes about 20 s.
"""

import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from os import urandom
from pathlib import Path
from time import perf_counter

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.measure import watched
from benchmarks.report import Figure, table, times
from benchmarks.servers import Server, private_server
from voting.keys import daily
from voting.keys.daily import days_up_to

PEOPLE = 10**8
PIECE = daily.ACTIVITY_BITS
PIECES = PEOPLE // PIECE + 1
DAYS, MONTH = 7, 30
REPEATS = 5
TARGET = 5
"""The goal: every command takes less than this many milliseconds."""


def main() -> None:
    """Store random activity on a Redis server, measure the queries, and print the results."""
    with private_server() as server:
        server.observer.config_set("appendonly", "no")
        days = days_up_to(server.service.activity.today(), MONTH)
        for day in days[-DAYS:]:
            _fill(server, day, PIECES)
            server.observer.setrange(f"plain:{day}", 0, urandom(PEOPLE // 8))
        for day in days[:-DAYS]:
            _fill(server, day, 1)
        print(table(list(_figures(server, days))))


def _fill(server: Server, day: date, pieces: int) -> None:
    for piece in range(pieces):
        server.observer.set(daily.activity(piece, day.isoformat()), urandom(PIECE // 8))


def _figures(server: Server, days: tuple[date, ...]) -> Iterator[Figure]:
    week, today = days[-DAYS:], days[-1]
    activity, highest = server.service.activity, PEOPLE - 1
    yield _memory(server, today)
    yield from _compare(
        server,
        "here today",
        partial(server.observer.bitcount, f"plain:{today}"),
        partial(activity.on, today, highest),
    )
    for what, how, ours in (
        ("on all of 7 days", "AND", partial(activity.on_every, week, highest)),
        ("on any of 7 days", "OR", partial(activity.on_any, week, highest)),
    ):
        yield from _compare(server, what, partial(_plain, server, how, week), ours)
    query = partial(activity.on_any, days, PIECE - 1)
    yield _line("on any of 30 days, one piece: longest command", "", _longest(server, query))
    spent = _spent(partial(activity.days_of, 77_777_777, days))
    yield Figure("days active this month, one person: in all", "", f"{spent:.1f} ms")


def _memory(server: Server, day: date) -> Figure:
    observer = server.observer
    plain = int(observer.memory_usage(f"plain:{day}", samples=0) or 0)
    ours = sum(
        int(observer.memory_usage(daily.activity(piece, day.isoformat()), samples=0) or 0)
        for piece in range(PIECES)
    )
    return Figure(f"a day of {PEOPLE:,} people", f"{plain:,} bytes", f"{ours:,} bytes")


def _plain(server: Server, how: str, days: tuple[date, ...]) -> int:
    server.observer.bitop(how, "plain:sum", *(f"plain:{day}" for day in days))
    return int(server.observer.bitcount("plain:sum"))


def _compare(
    server: Server, what: str, plain: Callable[[], object], ours: Callable[[], object]
) -> Iterator[Figure]:
    before, after = _spent(plain), _spent(ours)
    yield Figure(f"{what}: in all", f"{before:.1f} ms", f"{after:.1f} ms")
    yield _line(f"{what}: longest command", _longest(server, plain), _longest(server, ours))


def _line(what: str, plain: float | str, ours: float) -> Figure:
    stands = isinstance(plain, float)
    return Figure(
        what,
        f"{plain:.1f} ms" if stands else "",
        f"{ours:.2f} ms",
        times(float(plain) / ours) if stands else "",
        f"under {TARGET} ms",
        ours < TARGET,
    )


def _spent(call: Callable[[], object]) -> float:
    """Run a function several times. Return the time of the fastest run, in milliseconds."""
    spent = []
    for _ in range(REPEATS):
        began = perf_counter()
        call()
        spent.append((perf_counter() - began) * 1e3)
    return min(spent)


def _longest(server: Server, call: Callable[[], object]) -> float:
    """Return the time of the slowest Redis command that `call` sends, in milliseconds.

    Runs `call` several times, and returns the lowest of the results.
    """
    found: list[float] = []
    for _ in range(REPEATS):
        with watched(server) as longest:
            call()
        found += longest
    return min(found)


if __name__ == "__main__":
    main()
