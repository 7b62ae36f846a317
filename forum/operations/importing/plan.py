"""Decides which rows of a file to load, before anything is saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from forum.models import OutboxItem, Post
from forum.operations.importing.csv_rows import HACKER_NEWS, Problem, Row, read, read_header
from forum.store.service import get_voting_service

TOO_LATE = "its created_at is in the future"
TOO_EARLY = "with the newest moved to now, its created_at is before 1970"
CLOCK_TOLERANCE = 86_400
"""With `until_now`, dates may be this many seconds in the future, because clocks differ."""
MAX_VOTES = 100_000
"""How many voters a post can have. With votes, the import creates an account for each voter."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an import."""

    source: str = HACKER_NEWS
    """A name for the source of the file. With a row's id, it is the `origin` of the post."""
    votes: int | None = None
    """How many votes of imported people a post may get; None to get starting points instead."""
    until_now: bool = False
    """Whether to add the same time to all dates, so that the newest post is dated now."""
    limit: int | None = None
    """How many rows to import; None for all."""
    batch: int = 500
    """How many posts to save in one transaction."""

    def origin(self, row: Row) -> str:
        """Return the row's unique name. Its post stores the name, so later imports skip the row."""
        return f"{self.source}:{row.id}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows of an import, with the dates that the posts will have."""

    options: Options
    rows: tuple[Row, ...]
    """All usable rows, oldest first."""
    missing: tuple[Row, ...]
    """Usable rows that earlier imports haven't saved."""
    problems: tuple[Problem, ...]
    """Rows that can't be used, in the order of the file."""
    undelivered: tuple[int, ...]
    """Ids of posts that an earlier import saved in SQL and that aren't in Redis yet."""
    sentences: tuple[str, ...] = ()
    """One sentence for each optional column that is used, and for each column that isn't."""


def make_plan(path: Path, options: Options) -> Plan:
    """Read the file, and find the rows that earlier imports haven't saved.

    Raises NotPosts if the file isn't a CSV file of posts, and OSError if it can't be read.
    """
    rows, problems = _read(path, options)
    mine = f"{options.source}:"
    posts = Post.objects.filter(origin__startswith=mine)
    dates = posts.values_list("origin", "created_at")
    loaded = {origin: created_at for origin, created_at in dates if origin}
    waiting = posts.filter(pk__in=OutboxItem.waiting_posts())
    now = get_voting_service().now()
    dated = [row for row in rows if row.posted_at <= now + CLOCK_TOLERANCE]
    offset = _offset(dated, options, loaded, now) if options.until_now else 0
    moved = [replace(row, posted_at=row.posted_at + offset) for row in dated]
    usable = tuple(row for row in moved if 0 <= row.posted_at <= now)
    lines = {row.line for row in usable}
    early = {row.line for row in moved if row.posted_at < 0}
    problems += [
        Problem(row.line, TOO_EARLY if row.line in early else TOO_LATE)
        for row in rows
        if row.line not in lines
    ]
    return Plan(
        options=options,
        rows=usable,
        missing=tuple(row for row in usable if options.origin(row) not in loaded),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
        undelivered=tuple(waiting.values_list("pk", flat=True)),
        sentences=read_header(path).sentences,
    )


def _read(path: Path, options: Options) -> tuple[list[Row], list[Problem]]:
    """Return the file's usable rows, oldest first, and the problems with all its other rows."""
    rows: dict[str, Row] = {}
    problems = []
    for row in read(path, options.source):
        if isinstance(row, Problem):
            problems.append(row)
        elif row.id in rows:
            problems.append(Problem(row.line, f"its id is that of line {rows[row.id].line}"))
        else:
            rows[row.id] = row
        if len(rows) == options.limit:
            break
    return sorted(rows.values(), key=lambda row: (row.posted_at, row.line)), problems


def _offset(rows: Sequence[Row], options: Options, loaded: Mapping[str, datetime], now: int) -> int:
    """Return how many seconds to add to all dates, so that the newest post is dated now.

    If an earlier import saved rows of this file, returns the seconds that the earlier import added.
    """
    if not rows:
        return 0
    offset = now - rows[-1].posted_at
    for row in rows:
        created_at = loaded.get(options.origin(row))
        if created_at:
            return min(offset, int(created_at.timestamp()) - row.posted_at)
    return offset
