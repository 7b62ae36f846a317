"""Leaderboards: posts and people by the votes cast on a UTC day, and in the week that ends on it.

Reached as `VotingService.boards`; all methods may raise StoreUnavailable. The sums come from the
archive of votes, absolute and a moment after each of its batches, so that writing them again is
harmless. A week is made of the best of its seven days and remembered for a minute.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from voting import keys
from voting.keys import daily
from voting.redis import scripts
from voting.redis.arguments import member
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.topics.days import WEEK, ends, up_to
from voting.types import Rules
from voting.types.boards import Board, Kind, Leaders, Placing, Spot

BUILD_WEEK = scripts.load("week")
READ = scripts.load("board")

WEEK_DEPTH = 200
"""Lines of each day of whom a week's board is made: of days of 20,000 lines that takes the server
7 ms, where the union of the whole days takes 90 to 140.
"""


class Boards:
    """The leaderboards of one site and its groups."""

    days_kept = daily.BOARD_LIFE // 86_400 - 1
    """How many days back boards are kept, beside today's."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def day(self, day: date, *, group: str = "", page: int = 1) -> Leaders:
        """Return a page (from 1) of a day's boards; past the end it is empty. One round trip."""
        return self._read([daily.board(kind, day.isoformat(), group) for kind in Kind], page)

    def week(self, last: date, *, group: str = "", page: int = 1) -> Leaders:
        """Return a page of the boards of the seven days up to `last`. One round trip.

        Who stands there was among the first 200 of one of the days, and has the points of all.
        """
        weeks = [daily.week(kind, last.isoformat(), group) for kind in Kind]
        building = [
            _build(week, [daily.board(kind, day.isoformat(), group) for day in up_to(last, WEEK)])
            for week, kind in zip(weeks, Kind, strict=True)
        ]
        return self._read(weeks, page, before=building)

    def write(self, points: Mapping[Spot, int]) -> None:
        """Set the points of many spots; 0 takes them off. One round trip.

        Days whose boards are over are left out.
        """
        with self._store.pipeline() as pipeline:
            for (kind, day, group), lines in _by_board(points).items():
                key, ending = daily.board(kind, day.isoformat(), group), _ending(day)
                if ending <= self._now():
                    continue
                standing = {line: count for line, count in lines.items() if count}
                if standing:
                    pipeline.zadd(key, standing)
                if len(standing) < len(lines):
                    pipeline.zrem(key, *(line for line in lines if line not in standing))
                pipeline.expireat(key, ending)
            pipeline.execute()

    def _read(self, boards: Iterable[str], page: int, before: Sequence[Call] = ()) -> Leaders:
        size = self._rules.page_size
        generation = keys.generation(keys.RANK_TAG)
        reads = [READ((board, generation), (page - 1) * size, size) for board in boards]
        posts, people = self._store.run(*before, *reads)[len(before) :]
        return Leaders(_decode(posts, page, size), _decode(people, page, size))


def _build(week: str, days: Sequence[str]) -> Call:
    generation = keys.generation(keys.RANK_TAG)
    return BUILD_WEEK((week, generation, *days), daily.WEEK_LIFE, WEEK_DEPTH)


def _by_board(points: Mapping[Spot, int]) -> dict[tuple[Kind, date, str], dict[str, int]]:
    found: defaultdict[tuple[Kind, date, str], dict[str, int]] = defaultdict(dict)
    for spot, count in points.items():
        found[spot.kind, spot.day, spot.group][member(spot.subject_id)] = count
    return found


def _ending(day: date) -> int:
    """Return when a day's board is forgotten: by then its day can't be browsed any more."""
    return ends(day) + daily.BOARD_LIFE - 86_400


def _decode(reply: Sequence[Any], page: int, size: int) -> Board:
    total, *lines = reply
    pairs = zip(lines[::2], lines[1::2], strict=True)
    placings = tuple(Placing(int(subject), int(float(count))) for subject, count in pairs)
    return Board(placings, total, page, size)
