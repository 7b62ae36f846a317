"""Runs the scripts that read a page's data from a cluster, step by step (see `plans`)."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from voting import keys
from voting.redis import scripts
from voting.redis.encoding import SEPARATOR, listed_parts
from voting.redis.scripts import Argument, Call, Command, Request

IDS = scripts.load("ids")
ROWS = scripts.load("rows")
MARKS = scripts.load("marks")
UNREAD = scripts.load("unread")
STANDING = scripts.load("standing")

MAX_REPLACED = 200
"""The most hidden posts on a page that later posts replace, as in `lua/shared/hiding.lua`."""
COUNTS = ("ZCARD", "SCARD", "HLEN")
"""The commands that count hidden posts, hidden groups and read threads, in this order."""

Plan = Generator[Sequence[Request], list[Any], Any]


def listing(call: Call) -> Plan:
    """Read a page of a listing, as `listing.lua` does on one server.

    1. Read the ids of posts, the unread counts, and how many posts, groups and threads the viewer
       hides.
    2. Read which posts the viewer has saved, seen or hidden, and enough rows to fill the page even
       if all hidden posts are on it.
    3. If posts were retracted in the meantime, so that the page is not full, read more rows.
    """
    patterns, hidden, unread = call.arguments[:6], call.arguments[9:12], call.arguments[12]
    cursor = call.arguments[13:15]
    start, size, best_first = map(int, call.arguments[6:9])
    reach = -(-(size + MAX_REPLACED) // size) * size if any(hidden) else 2 * size
    ranked = tuple(map(str, call.keys))
    reading = [UNREAD((str(unread),))] if unread else []
    (total, first, ids, scores), *answers = yield [
        *(IDS(ranked, start, reach, best_first, *cursor), *reading),
        *(Command((count, key)) for count, key in zip(COUNTS, hidden, strict=True) if key),
    ]
    waiting = answers.pop(0) if reading else []
    marking = _marks_calls(patterns, ids, hidden)
    enough = size + _most_hidden(hidden, answers)
    replies = yield [*marking, *_row_calls(patterns, ids[:enough])]
    marks = _Marks(ids, replies[: len(marking)], bool(hidden[2]))
    texts = _texts(replies[len(marking) :])
    visible, considered = marks.visible(texts, size)
    if len(visible) < size and enough < len(ids):
        texts |= _texts((yield _row_calls(patterns, ids[enough:])))
        visible, considered = marks.visible(texts, size)
    last = [ids[considered - 1], scores[considered - 1]] if considered else []
    return [total, first + considered, marks.joined(visible, texts), waiting, last]


def _most_hidden(hidden: Sequence[Argument], counts: Sequence[int]) -> int:
    """Return the largest number of posts on a page that may be hidden from the viewer.

    This is the number of posts that the viewer has hidden or read, at most `MAX_REPLACED`. If the
    viewer hides a group, it is `MAX_REPLACED`, because a group can have any number of posts.
    """
    found = dict(zip(filter(None, hidden), counts, strict=True))
    return MAX_REPLACED if found.get(hidden[1]) else min(sum(counts), MAX_REPLACED)


def rows(call: Call) -> Plan:
    """Read the rows of posts, and whether the viewer has saved or seen each post.

    Sends all requests at once.
    """
    patterns, ids = call.arguments[:6], [int(one) for one in call.arguments[6:]]
    marking = _marks_calls(patterns, ids, ())
    replies = yield [*marking, *_row_calls(patterns, ids)]
    marks, texts = _Marks(ids, replies[: len(marking)], False), _texts(replies[len(marking) :])
    visible, _ = marks.visible(texts, len(ids))
    return [len(ids), len(ids), marks.joined(visible, texts)]


def explain(call: Call) -> Plan:
    """Read a post and the post's rank in `hot`, then the row of the post that ranks just above."""
    post, ranking, generation = map(str, call.keys)
    visible, (total, rank, above, score, vote_seconds) = yield [
        Command(("HMGET", post, "row", "tally")),
        STANDING((ranking, generation), call.arguments[0]),
    ]
    if visible[0] is None:
        return None
    row = None
    if above is not None:
        row = (yield [Command(("HGET", keys.post(int(above)), "row"))])[0]
    return [*visible, total, rank, above, score, row, vote_seconds]


class _Marks:
    """Which posts of a page a viewer has saved, seen or hidden."""

    def __init__(self, ids: Sequence[int], replies: Sequence[Any], without_read: bool) -> None:
        nothing = [None] * len(ids)
        saved, seen, hidden, groups = replies[0] if replies else (nothing, nothing, [], [])
        self._ids = ids
        self._marked = bool(replies)
        self._saved = dict(zip(ids, saved, strict=True))
        self._seen = dict(zip(ids, seen, strict=True))
        self._groups = frozenset(groups)
        self.hidden = {one for one, at in zip(ids, hidden, strict=False) if at is not None}
        self._without_read = without_read

    def visible(self, rows: dict[int, str], size: int) -> tuple[list[int], int]:
        """Return the first `size` posts that aren't hidden, and how many posts were checked."""
        found: list[int] = []
        for considered, one in enumerate(self._ids):
            if len(found) == size:
                return found, considered
            if one in rows and one not in self.hidden and not self._hides(one, rows[one]):
                found.append(one)
        return found, len(self._ids)

    def _hides(self, post_id: int, text: str) -> bool:
        """Return whether the viewer hides a group of a post, or has read its whole thread."""
        if not self._groups and not self._without_read:
            return False
        *_, row = listed_parts(text)
        visit = self._seen[post_id] if self._without_read else None
        all_read = visit is not None and row.comments <= int(visit.split()[1])
        return all_read or not self._groups.isdisjoint(row.groups)

    def joined(self, visible: Sequence[int], rows: dict[int, str]) -> list[Any]:
        """Return the rows of visible posts, and whether the viewer has saved or seen each post.

        The result has the format in which `row.lua` returns rows.
        """
        texts = [rows[one] for one in visible]
        if not self._marked:
            return [texts, [], []]
        return [texts, [self._saved[one] for one in visible], [self._seen[one] for one in visible]]


def _marks_calls(
    patterns: Sequence[Argument], ids: Sequence[int], hidden: Sequence[Argument]
) -> list[Call]:
    if not patterns[0] or not ids:
        return []
    own = [str(key) for key in (*patterns[4:6], *hidden[:2]) if key]
    return [MARKS(own, *ids)]


def _row_calls(patterns: Sequence[Argument], ids: Iterable[int]) -> list[Call]:
    shards: defaultdict[int, list[int]] = defaultdict(list)
    for one in ids:
        shards[keys.shard(one)].append(one)
    return [
        ROWS((keys.generation(keys.shard_tag(shard)),), *patterns[:4], "", "", *some)
        for shard, some in shards.items()
    ]


def _texts(replies: Iterable[Any]) -> dict[int, str]:
    texts = (text for _, _, (some, *_) in replies for text in some)
    return {int(text.partition(SEPARATOR)[0]): text for text in texts}
