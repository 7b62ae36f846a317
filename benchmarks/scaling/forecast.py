"""The second table of `benchmarks.scale`: memory, disk space and CPU that sites need.

It has a column for each size of site, from 10^3 to 10^9 votes a week.
"""

from collections.abc import Callable, Iterable

from benchmarks.scaling import sizes
from benchmarks.scaling.lines import Line
from benchmarks.scaling.sizes import Needs

POWERS = range(3, 10)
BYTES = ("B", "kB", "MB", "GB", "TB", "PB")
LEAST = 0.01
ROWS: tuple[tuple[str, Callable[[Needs], str]], ...] = (
    ("votes a second, mean", lambda one: count(one.rate)),
    ("votes a second, peak", lambda one: count(one.rate * sizes.PEAK)),
    ("posts a week", lambda one: count(one.posts)),
    ("pages a second, peak", lambda one: count(one.pages)),
    ("Redis: voters of the open week", lambda one: spelled(one.voters)),
    ("Redis: posts, comments of a year", lambda one: spelled(one.kept)),
    ("Redis: people", lambda one: spelled(one.people)),
    ("Redis: all under {rank}", lambda one: spelled(one.rankings)),
    ("append-only file a day", lambda one: spelled(one.journal)),
    ("SQL, a year", lambda one: spelled(one.sql)),
    ("Redis, one server: cores", lambda one: count(one.redis_cores)),
    ("of a cluster, {rank}: cores", lambda one: count(one.rank_cores)),
    ("web: cores", lambda one: count(one.web_cores)),
    ("worker: cores, at the mean", lambda one: "-".join(map(count, one.worker_cores))),
)


def table(lines: Iterable[Line]) -> str:
    """Return a table of the memory, disk space and CPU that sites of several sizes need.

    Below the table, sentences say how many votes one core can process.
    """
    found = {line.name: line.value for line in lines}
    every = [sizes.needs(10**power, found) for power in POWERS]
    rows = [("votes a week", *(f"10^{power}" for power in POWERS))]
    rows += [(what, *(spell(one) for one in every)) for what, spell in ROWS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return "\n".join([*text, "", *_limits(found)])


def _limits(found: sizes.Measured) -> list[str]:
    alone, ranks = sizes.redis_cpu(found), sizes.rank_cpu(found)
    vote = (found["cpu_vote1"] + found["cpu_vote3"]) / 2
    ranked = (found["rank_vote1"] + found["rank_vote3"]) / 2 + found["rank_again"]
    slow, fast = count(1e6 / found["archive"]), count(1e6 / found["late"])
    return [
        _limit("One Redis", vote + found["archive_redis"], alone),
        _limit("Of a cluster, {rank}", ranked, ranks),
        f"One worker is full at {slow} to {fast} votes a second, as a mean.",
    ]


def _limit(what: str, vote: float, whole: float) -> str:
    """Return a sentence about how many votes a process, such as Redis, can handle on one core.

    `what` names the process. `vote` is the CPU time (µs) that it takes for a vote. `whole` also
    includes a vote's share of the CPU time for posts, views and pages.
    """
    return (
        f"{what} is full at {count(1e6 / vote)} votes a second, {count(1e6 / whole)} with posts,"
        f" views and pages: {count(sizes.most(whole))} a week."
    )


def count(value: float) -> str:
    """Format a number with two significant digits, or one digit if the number is below 1."""
    if value >= 10:
        return f"{float(f'{value:.2g}'):,.0f}"
    if value >= 1:
        return f"{value:.1f}"
    return f"{value:.1g}" if value >= LEAST else f"<{LEAST}"


def spelled(size: float) -> str:
    """Format a number of bytes with two significant digits and a unit."""
    for unit in BYTES:
        if size < 1_000 or unit == BYTES[-1]:
            break
        size /= 1_000
    return f"{count(size)} {unit}"
