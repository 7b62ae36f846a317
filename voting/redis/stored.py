"""Texts in which Redis keeps what is read together (`parts.lua`, `record.lua` in `lua/shared`)."""

from typing import NamedTuple

from voting.types import Target, Vote

SEPARATOR = "\x1f"
"""Stands between the parts of a `row`, and of what `row.lua` tells of one."""


class StoredRow(NamedTuple):
    """What a listing shows of a post beside its votes and views."""

    posted_at: int
    groups: tuple[str, ...]
    comments: int
    card: str


class Tally(NamedTuple):
    """Up and down votes, and the ledger id of the change that made them so."""

    up: int
    down: int
    last: str


def row_parts(text: str) -> StoredRow:
    """Return what a `row` says."""
    posted_at, groups, comments, card = text.split(SEPARATOR, 3)
    return StoredRow(int(posted_at), tuple(groups.split()), int(comments), card)


def tally_parts(text: str) -> Tally:
    """Return what a `tally` says."""
    up, down, last = text.split()
    return Tally(int(up), int(down), last)


def listed_parts(text: str) -> tuple[int, str, Tally, int, StoredRow]:
    """Return what `row.lua` tells of a post: id, the viewer's vote, tally, views and row."""
    post_id, vote, tally, views, row = text.split(SEPARATOR, 4)
    return int(post_id), vote, tally_parts(tally), int(views), row_parts(row)


def change(user_id: int, on: Target, vote: Vote, now: float) -> str:
    """Return how an entry of the ledger begins; the script adds up and down votes after it."""
    return f"{user_id} {on.post_id} {on.comment_id} {int(vote)} {int(now)}"
