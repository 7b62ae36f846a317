"""The first table of `benchmarks.scale`, with all measured values.

The formulas in `sizes.py` refer to these values by name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.servers import Server

BUFFERS = (
    "clients.normal",
    "clients.slaves",
    "aof.buffer",
    "replication.backlog",
    "lua.caches",
    "functions.caches",
)
"""The parts of a Redis server's memory that don't store the site's data."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a measured value with its name, description and unit."""

    name: str
    what: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Extent:
    """How much to measure: how many posts, rounds and calls."""

    posts: int
    """How many posts, comments and people to create."""
    rounds: int
    calls: int
    """Number of calls per round."""
    crowds: Sequence[int]
    """Numbers of voters. The memory of a voter set is measured for each number."""


def table(lines: Iterable[Line]) -> str:
    """Return the lines as a table with aligned columns."""
    rows: list[tuple[str, ...]] = [("name", "what", "measured", "")]
    rows += [(line.name, line.what, _spelled(line.value), line.unit) for line in lines]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        f"{name:<{widths[0]}}  {what:<{widths[1]}}  {value:>{widths[2]}}  {unit}".rstrip()
        for name, what, value, unit in rows
    )


def _spelled(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.2f}"


def data_bytes(server: Server) -> int:
    """Return how many bytes of memory Redis uses for data: keys, values and their hash tables."""
    stats = server.observer.memory_stats()
    return int(stats["total.allocated"]) - sum(int(stats.get(name, 0)) for name in BUFFERS)


def usage(server: Server, pattern: str) -> tuple[int, int]:
    """Return how many keys match a pattern, and how many bytes these keys take."""
    keys = list(server.observer.scan_iter(pattern, count=1_000))
    with server.observer.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.memory_usage(key, samples=0)
        return len(keys), sum(pipeline.execute())
