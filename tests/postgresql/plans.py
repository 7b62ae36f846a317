"""Checks with EXPLAIN that the queries of a page don't read too many rows in PostgreSQL."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

BIG = 10_000
"""Tables with at least this many rows count as big. No query may scan all rows of a big table."""
MOST = 12_000
"""Maximum number of rows that one query of a page may read from a big table.

A page with a thread of 5,000 comments needs less.
"""
EXPLAINED = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE)\b")
SCAN = re.compile(r"(Seq|Index|Index Only|Bitmap Heap) Scan")


@dataclass
class Watcher:
    """Runs EXPLAIN for every query, and records complaints if a query reads too many rows."""

    big: frozenset[str]
    most: int
    complaints: list[str] = field(default_factory=list)
    asked: int = 0
    _asking: bool = False

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        """Run EXPLAIN for a query, then run the query itself in the same transaction."""
        if not self._asking and EXPLAINED.match(sql):
            self.asked += 1
            self._look(sql, params[0] if many else params)
        return execute(sql, params, many, context)

    def _look(self, sql: str, params: Any) -> None:
        reading = sql.lstrip().startswith("SELECT")
        self._asking = True
        try:
            with connection.cursor() as cursor:
                options = "ANALYZE, FORMAT JSON" if reading else "FORMAT JSON"
                cursor.execute(f"EXPLAIN ({options}) {sql}", params)
                (found,) = cursor.fetchone()
        finally:
            self._asking = False
        plan = json.loads(found) if isinstance(found, str) else found
        for node in _nodes(plan[0]["Plan"]):
            if SCAN.fullmatch(node["Node Type"]) and node["Relation Name"] in self.big:
                self._judge(node, sql)

    def _judge(self, node: dict[str, Any], sql: str) -> None:
        what = f"{node['Node Type']} on {node['Relation Name']}"
        if node["Node Type"] == "Seq Scan":
            self.complaints.append(f"{what}: {sql}")
        elif _read(node) > self.most:
            self.complaints.append(f"{what} reads {_read(node):.0f} rows: {sql}")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def _read(node: dict[str, Any]) -> float:
    """Return how many rows one step of a query plan has read."""
    rows = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    return float(sum(node.get(name, 0) for name in rows) * node.get("Actual Loops", 0))


@contextmanager
def watched(most: int = MOST) -> Iterator[Watcher]:
    """Check every query in the `with` block, and yield the `Watcher` that collects complaints.

    A query may read at most `most` rows of a big table, and only by using an index.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE reltuples >= %s", [BIG])
        watcher = Watcher(frozenset(name for (name,) in cursor.fetchall()), most)
    with connection.execute_wrapper(watcher):
        yield watcher
