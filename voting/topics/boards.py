"""Leaderboards: posts and people by the points that they received on a day or in seven days.

Whenever a batch of votes is archived, the caller writes each day's new point totals. Writing a
total again is harmless. A week's leaderboard is built from the first entries of its days'
leaderboards, and cached for a minute.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from voting import keys
from voting.keys import daily
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import member
from voting.redis.scripts import Call
from voting.types import Rules
from voting.types.boards import Board, BoardKey, BoardKind, BoardLine, Leaderboards

BUILD_WEEK = scripts.load("week")
READ = scripts.load("board")

WEEK_DEPTH = 200
"""A week's leaderboard is built from this many top lines of each day.

If each day has 20,000 lines, building a week takes the server 7 ms. With all lines, it would take
90 to 140 ms.
"""


class Boards:
    """The leaderboards of one site. Methods raise StoreUnavailable if Redis is down."""

    days_kept = daily.BOARD_LIFE // 86_400 - 1
    """How many past days have a stored leaderboard."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def day(self, day: date, *, group: str = "", page: int = 1) -> Leaderboards:
        """Return a page of the leaderboards of posts and of people for a day. One round trip.

        Pages are numbered from 1. A page past the end is empty.
        """
        return self._read([daily.board(kind, day.isoformat(), group) for kind in BoardKind], page)

    def week(self, last: date, *, group: str = "", page: int = 1) -> Leaderboards:
        """Return a page of the leaderboards of the seven days that end with `last`. One round trip.

        A post or person is listed if it was among the first 200 on at least one of these days. Its
        points are the sum of all seven days.
        """
        days = daily.days_up_to(last, daily.WEEK_DAYS)
        weeks = [daily.week(kind, last.isoformat(), group) for kind in BoardKind]
        builds = [
            _build_call(week, [daily.board(kind, day.isoformat(), group) for day in days])
            for week, kind in zip(weeks, BoardKind, strict=True)
        ]
        return self._read(weeks, page, before=builds)

    def write(self, points: Mapping[BoardKey, int]) -> None:
        """Write point totals to leaderboards, replacing earlier totals. One round trip.

        A line with 0 points is removed. Days whose leaderboards have expired are skipped.
        """
        with self._store.pipeline() as pipeline:
            for (kind, day, group), lines in _by_board(points).items():
                key, expiry = daily.board(kind, day.isoformat(), group), _expiry(day)
                if expiry <= self._now():
                    continue
                listed = {line: count for line, count in lines.items() if count}
                if listed:
                    pipeline.zadd(key, listed)
                if len(listed) < len(lines):
                    pipeline.zrem(key, *(line for line in lines if line not in listed))
                pipeline.expireat(key, expiry)
            pipeline.execute()

    def _read(self, boards: Iterable[str], page: int, before: Sequence[Call] = ()) -> Leaderboards:
        size = self._rules.page_size
        generation = keys.generation(keys.RANK_TAG)
        reads = [READ((board, generation), (page - 1) * size, size) for board in boards]
        posts, people = self._store.run(*before, *reads)[len(before) :]
        return Leaderboards(_decode(posts, page, size), _decode(people, page, size))


def _build_call(week: str, days: Sequence[str]) -> Call:
    generation = keys.generation(keys.RANK_TAG)
    return BUILD_WEEK((week, generation, *days), daily.WEEK_LIFE, WEEK_DEPTH)


def _by_board(
    points: Mapping[BoardKey, int],
) -> dict[tuple[BoardKind, date, str], dict[str, int]]:
    boards: defaultdict[tuple[BoardKind, date, str], dict[str, int]] = defaultdict(dict)
    for key, count in points.items():
        boards[key.kind, key.day, key.group][member(key.subject_id)] = count
    return boards


def _expiry(day: date) -> int:
    """Return when a day's leaderboard expires (s since 1970).

    At that time, no page links to the day any more.
    """
    return daily.day_end(day) + daily.BOARD_LIFE - 86_400


def _decode(reply: Sequence[Any], page: int, size: int) -> Board:
    total, *lines = reply
    pairs = zip(lines[::2], lines[1::2], strict=True)
    found = tuple(BoardLine(int(subject), int(float(count))) for subject, count in pairs)
    return Board(found, total, page, size)
