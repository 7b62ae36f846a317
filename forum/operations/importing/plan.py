"""Decides what loading a file will do, before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from forum.gateway.service import get_voting_service
from forum.models import OutboxItem, Post
from forum.operations.importing.csv_rows import Problem, Row, read

TOO_LATE = "its created_at is in the future"
AHEAD = 86_400
"""Seconds by which another machine's clock may be ahead of ours; what is later is a mistake."""
MOST_VOTES = 100_000
"""Voters of a post at most: each is a person whom the import makes up."""
TOO_EARLY = "with the newest moved to now, its created_at is before 1970"


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be loaded."""

    source: str
    """Where the file is from. With its id it tells whether a row is there already."""
    votes: int = MOST_VOTES
    """Voters of a post at most."""
    until_now: bool = False
    """Whether dates move, all by the same time, so that the newest is now."""
    limit: int | None = None
    """Usable rows of the file at most."""
    batch: int = 500
    """Posts written in one transaction."""

    def origin(self, row: Row) -> str:
        """Return what marks the row's post."""
        return f"{self.source}:{row.id}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a load is going to do. Dates have been moved already."""

    options: Options
    rows: tuple[Row, ...]
    """Every row that can be used, oldest first."""
    missing: tuple[Row, ...]
    """Those that are not there yet."""
    problems: tuple[Problem, ...]
    """Those that can't be used, in the order of the file."""
    undelivered: tuple[int, ...]
    """Posts that an earlier load wrote and Redis has not heard of."""


def make_plan(path: Path, options: Options) -> Plan:
    """Read the file and look up what is there. Raises NotPosts and OSError. Two queries."""
    found, problems = _read(path, options)
    mine = f"{options.source}:"
    posts = Post.objects.filter(origin__startswith=mine)
    dates = posts.values_list("origin", "created_at")
    known = {origin: created_at for origin, created_at in dates if origin}
    now = get_voting_service().now()
    dated = [row for row in found if row.posted_at <= now + AHEAD]
    problems += [Problem(row.line, TOO_LATE) for row in found if row.posted_at > now + AHEAD]
    offset = _offset(dated, options, known, now) if options.until_now else 0
    moved = [replace(row, posted_at=row.posted_at + offset) for row in dated]
    rows = tuple(row for row in moved if 0 <= row.posted_at <= now)
    problems += [
        Problem(row.line, TOO_LATE if row.posted_at > now else TOO_EARLY)
        for row in moved
        if not 0 <= row.posted_at <= now
    ]
    waiting = OutboxItem.objects.filter(post__origin__startswith=mine)
    return Plan(
        options=options,
        rows=rows,
        missing=tuple(row for row in rows if options.origin(row) not in known),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
        undelivered=tuple(waiting.values_list("post_id", flat=True)),
    )


def _read(path: Path, options: Options) -> tuple[list[Row], list[Problem]]:
    """Return the usable rows, oldest first, and what is wrong with the others."""
    rows: dict[str, Row] = {}
    problems = []
    for one in read(path):
        if isinstance(one, Problem):
            problems.append(one)
        elif one.id in rows:
            problems.append(Problem(one.line, f"its id is that of line {rows[one.id].line}"))
        else:
            rows[one.id] = one
        if len(rows) == options.limit:
            break
    return sorted(rows.values(), key=lambda row: (row.posted_at, row.line)), problems


def _offset(rows: Sequence[Row], options: Options, known: Mapping[str, datetime], now: int) -> int:
    """Return by how many seconds dates move so that none is in the future.

    Rows that are there already decide: a load that goes on later must not tear the file apart.
    """
    if not rows:
        return 0
    offset = now - rows[-1].posted_at
    for row in rows:
        there = known.get(options.origin(row))
        if there:
            return min(offset, int(there.timestamp()) - row.posted_at)
    return offset
