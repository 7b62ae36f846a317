"""Rows: what a listing shows of a post, read with the viewer's own vote."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from voting import keys, scripts
from voting.client import Store
from voting.ground import ROW_FIELDS as FIELDS
from voting.ground import row_patterns
from voting.scripts import Call
from voting.types import Row, Rules, Vote

ROWS = scripts.load("rows")
VOTES = {vote.value: vote for vote in Vote}
REMEMBERED = 4_096
"""Rows kept in this process; about 0.8 kB each."""


def call(post_ids: Sequence[int], viewer: int | None) -> Call:
    """Return the call that reads the rows of posts."""
    return ROWS((keys.generation(keys.RANK_TAG),), *row_patterns(viewer), *post_ids)


def decode(rules: Rules, now: int, viewer: int | None, found: Sequence[Any]) -> tuple[Row, ...]:
    """Return the rows that `row.lua` found."""
    oldest = now - rules.window - keys.VOTERS_GRACE
    fields, saved, seen = found
    rows = []
    for number, at in enumerate(range(0, len(fields), FIELDS)):
        *shown, vote = fields[at : at + FIELDS]
        if viewer is None:
            rows.append(_row(*shown, None))
            continue
        known = int(shown[1]) > oldest
        marks = saved[number] is not None, seen[number]
        rows.append(_row(*shown, VOTES[vote] if known else None, *marks))
    return tuple(rows)


@lru_cache(maxsize=REMEMBERED)
def _row(
    post_id: int,
    posted_at: str,
    up: str,
    down: str,
    groups: str,
    card: str,
    comments: str,
    views: str,
    vote: Vote | None,
    saved: bool = False,
    seen: str | None = None,
) -> Row:
    """Return a row; pages show the same ones again and again, and making one takes longest."""
    return Row(
        post_id,
        int(posted_at),
        int(up),
        int(down),
        tuple(groups.split()),
        card,
        vote,
        int(comments),
        int(views),
        saved,
        None if seen is None else int(seen.split()[1]),
    )


def read(
    store: Store, rules: Rules, now: int, post_ids: Sequence[int], viewer: int | None
) -> tuple[Row, ...]:
    """Return the rows of posts in the order asked for, without unknown ones. One round trip."""
    replies = store.run(call(post_ids, viewer), from_copies=viewer is None)
    return decode(rules, now, viewer, replies[0][-1])
