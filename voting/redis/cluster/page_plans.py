"""Plans of the scripts that read pages: what becomes of them on a cluster (see `plans`)."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from voting import keys
from voting.redis import scripts
from voting.redis.scripts import Argument, Call, Command, Request
from voting.redis.stored import SEPARATOR, listed_parts

IDS = scripts.load("ids")
ROWS = scripts.load("rows")
MARKS = scripts.load("marks")
UNREAD = scripts.load("unread")
STANDING = scripts.load("standing")

SCANNED = 200
"""Rows behind a page that hidden ones may be filled up from, as in `lua/shared/hiding.lua`."""
COUNTS = ("ZCARD", "SCARD", "HLEN")
"""What counts each of the three that hide posts, in the order of `lua/shared/hiding.lua`."""

Plan = Generator[Sequence[Request], list[Any], Any]


def listing(call: Call) -> Plan:
    """Read ids, and what is unread and hidden; then the viewer's marks, and rows enough even if all
    that is hidden is among them. A third step follows only where posts are retracted that moment.
    """
    patterns, hidden, unread = call.arguments[:6], call.arguments[9:12], call.arguments[12]
    cursor = call.arguments[13:15]
    start, size, best_first = map(int, call.arguments[6:9])
    reach = -(-(size + SCANNED) // size) * size if any(hidden) else 2 * size
    ranked = tuple(map(str, call.keys))
    reading = [UNREAD((str(unread),))] if unread else []
    (total, first, ids, scores), *answers = yield [
        *(IDS(ranked, start, reach, best_first, *cursor), *reading),
        *(Command((count, key)) for count, key in zip(COUNTS, hidden, strict=True) if key),
    ]
    waiting = answers.pop(0) if reading else []
    marking = _marks_calls(patterns, ids, hidden)
    sure = size + _most_hidden(hidden, answers)
    replies = yield [*marking, *_row_calls(patterns, ids[:sure])]
    marks = _Marks(ids, replies[: len(marking)], bool(hidden[2]))
    texts = _texts(replies[len(marking) :])
    shown, looked = marks.shown(texts, size)
    if len(shown) < size and sure < len(ids):
        texts |= _texts((yield _row_calls(patterns, ids[sure:])))
        shown, looked = marks.shown(texts, size)
    last = [ids[looked - 1], scores[looked - 1]] if looked else []
    return [total, first + looked, marks.joined(shown, texts), waiting, last]


def _most_hidden(hidden: Sequence[Argument], counts: Sequence[int]) -> int:
    """Return how many posts of a page may be hidden: of a group that is, all; else one for each
    that is hidden or read.
    """
    found = dict(zip(filter(None, hidden), counts, strict=True))
    return SCANNED if found.get(hidden[1]) else min(sum(counts), SCANNED)


def rows(call: Call) -> Plan:
    """Read the viewer's marks and the rows at once."""
    patterns, ids = call.arguments[:6], [int(one) for one in call.arguments[6:]]
    marking = _marks_calls(patterns, ids, ())
    replies = yield [*marking, *_row_calls(patterns, ids)]
    marks, texts = _Marks(ids, replies[: len(marking)], False), _texts(replies[len(marking) :])
    shown, _ = marks.shown(texts, len(ids))
    return [len(ids), len(ids), marks.joined(shown, texts)]


def explain(call: Call) -> Plan:
    """Read the post and its place, then what the post above it is called."""
    post, ranking, generation = map(str, call.keys)
    shown, (total, rank, above, score, vote_seconds) = yield [
        Command(("HMGET", post, "row", "tally")),
        STANDING((ranking, generation), call.arguments[0]),
    ]
    if shown[0] is None:
        return None
    row = None
    if above is not None:
        row = (yield [Command(("HGET", keys.post(int(above)), "row"))])[0]
    return [*shown, total, rank, above, score, row, vote_seconds]


class _Marks:
    """How a viewer marked posts, and which of them they don't want to see."""

    def __init__(self, ids: Sequence[int], replies: Sequence[Any], without_read: bool) -> None:
        nothing = [None] * len(ids)
        saved, seen, hidden, groups = replies[0] if replies else (nothing, nothing, [], [])
        self._ids = ids
        self._marked = bool(replies)
        self._saved = dict(zip(ids, saved, strict=True))
        self._seen = dict(zip(ids, seen, strict=True))
        self._groups = frozenset(groups)
        self.hidden = {one for one, at in zip(ids, hidden, strict=False) if at is not None}
        if without_read:
            self.hidden |= {one for one, visit in self._seen.items() if visit is not None}

    def shown(self, rows: dict[int, str], size: int) -> tuple[list[int], int]:
        """Return the first `size` posts that are wanted, and how many were looked at for that."""
        found: list[int] = []
        for looked, one in enumerate(self._ids):
            if len(found) == size:
                return found, looked
            if (
                one in rows
                and one not in self.hidden
                and (not self._groups or self._groups.isdisjoint(_groups_of(rows[one])))
            ):
                found.append(one)
        return found, len(self._ids)

    def joined(self, shown: Sequence[int], rows: dict[int, str]) -> list[Any]:
        """Return rows as `lua/shared/row.lua` does."""
        texts = [rows[one] for one in shown]
        if not self._marked:
            return [texts, [], []]
        return [texts, [self._saved[one] for one in shown], [self._seen[one] for one in shown]]


def _marks_calls(
    patterns: Sequence[Argument], ids: Sequence[int], hidden: Sequence[Argument]
) -> list[Call]:
    if not patterns[0] or not ids:
        return []
    own = [str(key) for key in (*patterns[4:6], *hidden[:2]) if key]
    return [MARKS(own, *ids)]


def _row_calls(patterns: Sequence[Argument], ids: Iterable[int]) -> list[Call]:
    """Return the calls that read rows, one for each shard concerned."""
    shards: defaultdict[int, list[int]] = defaultdict(list)
    for one in ids:
        shards[keys.shard(one)].append(one)
    return [
        ROWS((keys.generation(keys.shard_tag(shard)),), *patterns[:4], "", "", *some)
        for shard, some in shards.items()
    ]


def _groups_of(text: str) -> tuple[str, ...]:
    *_, row = listed_parts(text)
    return row.groups


def _texts(replies: Iterable[Any]) -> dict[int, str]:
    texts = (text for _, _, (some, *_) in replies for text in some)
    return {int(text.partition(SEPARATOR)[0]): text for text in texts}
