"""What becomes of a script on a cluster, where one script touches one slot.

A plan is a generator. It yields the calls that can be asked at once, is sent their replies, and
returns what the script would have replied on one server. An error of ours among the replies is
thrown into it. The plans of several calls go on side by side (`voting.cluster`), so that a page
takes as many round trips as its longest plan: three at most.

A post's own slot decides; the rankings follow in a step that is absolute and may be repeated
(`lua/rank.lua`). Where that step fails, content is told again by whoever sent it; a vote stands,
and the ledger's reader repeats the step (`voting.healing`).
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from voting import keys, scripts
from voting.errors import StoreUnavailable
from voting.ground import GROUND, ROW_GROUPS, ROW_SEPARATOR, Loaded, member
from voting.scripts import Argument, Asked, Call, Command

RANK = scripts.load("rank")
IDS = scripts.load("ids")
ROWS = scripts.load("rows")
MARKS = scripts.load("marks")
UNREAD = scripts.load("unread")
STANDING = scripts.load("standing")
WINDOW = scripts.load("window")

SCANNED = 200
"""Rows behind a page that hidden ones may be filled up from, as in `lua/hiding.lua`."""
CHANGED = 1
"""Outcome of a vote that changed something."""
POINTS_ONLY = frozenset({"retell", "view", "vote"})
"""Scripts that leave a post where it is and change what it ranks by."""
WINDOW_KEY = 5
"""Where the key of a person's window follows in a vote's keys."""

Plan = Generator[Sequence[Asked], list[Any], Any]


def plan(call: Asked) -> Plan:
    """Return how a call is carried out on a cluster."""
    return PLANS.get(call.name, _alone)(call)


def _alone(call: Asked) -> Plan:
    return (yield [call])[0]


# Writing


def _post(call: Call, *more: Argument, filling: Argument = 0) -> Plan:
    """Change a post, then its places in the rankings."""
    reply, state = (yield [_at_home(call, *more)])[0]
    if state is not None:
        yield [_rank_call(call, state, filling)]
    return reply


def _load(call: Call) -> Plan:
    told = Loaded._make(call.arguments[GROUND:])
    return _post(call, filling=told.filling)


def _vote(call: Call, limits_at: int) -> Plan:
    """Ask the person's window, change the vote, then rank the post and take an idle hit back."""
    times, wait, hit = call.keys[WINDOW_KEY:], 0, None
    if times:
        now, hit, *windows = call.arguments[limits_at:]
        wait, _ = (yield [WINDOW((str(times[0]), str(times[0])), now, hit, "", 0, *windows)])[0]
    reply, state = (yield [_at_home(call, wait)])[0]
    afterwards: list[Asked] = []
    if hit is not None and not wait and reply[0] != CHANGED:
        afterwards.append(Command(("ZREM", times[0], hit)))
    if state is not None:
        afterwards.append(_rank_call(call, state))
    if afterwards:
        with suppress(StoreUnavailable):
            yield afterwards
    return reply


def _at_home(call: Call, *more: Argument) -> Call:
    """Return the call's form for clusters, in which keys of other slots stand for a generation."""
    tag = keys.tag_of(str(call.key))
    own = [key if keys.tag_of(str(key)) == tag else keys.generation(tag) for key in call.keys]
    script = call.script.apart or call.script
    return Call(script, (len(own), *own, *call.arguments, *more))


def _rank_call(call: Call, state: Sequence[Argument], filling: Argument = 0) -> Call:
    """Return the step that makes rankings follow a post's state."""
    post_id, author = int(str(call.key).rpartition(":")[2]), int(state[7])
    return RANK(
        (
            keys.seen(post_id),
            keys.generation(keys.RANK_TAG),
            keys.swept(),
            keys.author(author),
        ),
        *call.arguments[:GROUND],
        post_id,
        member(post_id),
        keys.SEEN_LIFE,
        filling,
        int(call.script.name not in POINTS_ONLY),
        *state,
    )


# Reading


def _listing(call: Call) -> Plan:
    """Read ids and what is unread; then the viewer's marks and the first rows; then more where some
    are hidden.
    """
    patterns, hidden, unread = call.arguments[:6], call.arguments[9:12], call.arguments[12]
    start, size, best_first = map(int, call.arguments[6:9])
    reach = -(-(size + SCANNED) // size) * size if any(hidden) else 2 * size
    ranked = tuple(map(str, call.keys))
    reading = [UNREAD((str(unread),))] if unread else []
    (total, ids), *answers = yield [IDS(ranked, start, reach, best_first), *reading]
    waiting = answers[0] if answers else []
    marking = _marks_calls(patterns, ids, hidden)
    replies = yield [*marking, *_row_calls(patterns, ids[:size])]
    marks = _Marks(ids, replies[: len(marking)], bool(hidden[2]))
    rows = _texts(replies[len(marking) :])
    shown, looked = marks.shown(rows, size)
    if len(shown) < size < len(ids):
        behind = [one for one in ids[size:] if one not in marks.hidden]
        rows |= _texts((yield _row_calls(patterns, behind)))
        shown, looked = marks.shown(rows, size)
    return [total, start + looked, marks.joined(shown, rows), waiting]


def _rows(call: Call) -> Plan:
    patterns, ids = call.arguments[:6], [int(one) for one in call.arguments[6:]]
    marking = _marks_calls(patterns, ids, ())
    replies = yield [*marking, *_row_calls(patterns, ids)]
    marks, rows = _Marks(ids, replies[: len(marking)], False), _texts(replies[len(marking) :])
    shown, _ = marks.shown(rows, len(ids))
    return [len(ids), len(ids), marks.joined(shown, rows)]


def _explain(call: Call) -> Plan:
    post, ranking, generation = map(str, call.keys)
    fields, (total, rank, above, score) = yield [
        Command(("HMGET", post, "posted_at", "up", "down", "gone")),
        STANDING((ranking, generation), call.arguments[0]),
    ]
    *shown, gone = fields
    if shown[0] is None or gone is not None:
        return None
    card = None
    if above is not None:
        card = (yield [Command(("HGET", keys.post(int(above)), "card"))])[0]
    return [*shown, total, rank, above, score, card]


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
                and self._groups.isdisjoint(rows[one].split(ROW_SEPARATOR)[ROW_GROUPS].split())
            ):
                found.append(one)
        return found, len(self._ids)

    def joined(self, shown: Sequence[int], rows: dict[int, str]) -> list[Any]:
        """Return rows as `lua/row.lua` does."""
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


def _texts(replies: Iterable[Any]) -> dict[int, str]:
    texts = (text for _, _, (some, *_) in replies for text in some)
    return {int(text.partition(ROW_SEPARATOR)[0]): text for text in texts}


PLANS: dict[str, Callable[[Any], Plan]] = {
    "vote": partial(_vote, limits_at=GROUND + 4),
    "vote_comment": partial(_vote, limits_at=6),
    "publish": _post,
    "retract": _post,
    "regroup": _post,
    "view": _post,
    "retell": _post,
    "load": _load,
    "listing": _listing,
    "rows": _rows,
    "explain": _explain,
}
"""Scripts that touch several slots, by name."""
