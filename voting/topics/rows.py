"""Rows: what a listing shows of a post, read with the viewer's own vote."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from voting import keys
from voting.redis import scripts
from voting.redis.arguments import row_patterns
from voting.redis.readings import Reading
from voting.redis.scripts import Call
from voting.redis.stored import listed_parts
from voting.types import Row, Rules, Vote

ROWS = scripts.load("rows")
VOTES = {str(vote.value): vote for vote in Vote}
REMEMBERED = 4_096
"""Rows kept in this process; about 1 kB each."""


def call(post_ids: Sequence[int], viewer: int | None) -> Call:
    """Return the call that reads the rows of posts."""
    return ROWS((keys.generation(keys.RANK_TAG),), *row_patterns(viewer), *post_ids)


def decode(rules: Rules, now: int, viewer: int | None, found: Sequence[Any]) -> tuple[Row, ...]:
    """Return the rows that `row.lua` found."""
    texts, saved, seen = found
    if viewer is None:
        return tuple([_row(text) for text in texts])
    unmarked = [None] * len(texts)
    oldest = now - rules.window - keys.VOTERS_GRACE
    rows = []
    for text, at, visit in zip(texts, saved or unmarked, seen or unmarked, strict=True):
        marks = at is not None, None if visit is None else int(visit.split()[1])
        row = _row(text, *marks, True)
        rows.append(row if row.posted_at > oldest else _row(text, *marks))
    return tuple(rows)


@lru_cache(maxsize=REMEMBERED)
def _row(text: str, saved: bool = False, seen: int | None = None, voted: bool = False) -> Row:
    """Return a row; pages show the same ones again and again, and making one takes longest.

    Its vote is None unless it is known who `voted`.
    """
    post_id, vote, tally, views, row = listed_parts(text)
    return Row(
        post_id,
        row.posted_at,
        tally.up,
        tally.down,
        row.groups,
        row.card,
        VOTES[vote] if voted else None,
        row.comments,
        views,
        saved,
        seen,
    )


def reading(
    rules: Rules, now: int, post_ids: Sequence[int], viewer: int | None
) -> Reading[tuple[Row, ...]]:
    """Return what reads the rows of posts in the order asked for, without unknown ones."""
    if not post_ids:
        return Reading((), lambda _replies: ())
    asked = (call(post_ids, viewer),)
    return Reading(asked, lambda replies: decode(rules, now, viewer, replies[0][-1]))
