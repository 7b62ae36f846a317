"""The formats of texts that Redis stores as one field (see `parts.lua`, `record.lua` in
`lua/shared`): one field is read faster than several.
"""

from typing import NamedTuple

from voting.types import Target, Vote

SEPARATOR = "\x1f"
"""Separates the parts of a `row`, and of the text that `row.lua` returns for a post."""


class StoredRow(NamedTuple):
    """What a row shows of a post except its votes and views."""

    posted_at: int
    groups: tuple[str, ...]
    comments: int
    card: str


class Tally(NamedTuple):
    """Up and down votes, and the ledger id of the last change."""

    up: int
    down: int
    last: str


def row_parts(text: str) -> StoredRow:
    """Parse a `row`."""
    posted_at, groups, comments, card = text.split(SEPARATOR, 3)
    return StoredRow(int(posted_at), tuple(groups.split()), int(comments), card)


def tally_parts(text: str) -> Tally:
    """Parse a `tally`."""
    up, down, last = text.split()
    return Tally(int(up), int(down), last)


def listed_parts(text: str) -> tuple[int, str, Tally, int, StoredRow]:
    """Parse what `row.lua` returns for a post: id, the viewer's vote, tally, views and row."""
    post_id, vote, tally, views, row = text.split(SEPARATOR, 4)
    return int(post_id), vote, tally_parts(tally), int(views), row_parts(row)


def change(user_id: int, on: Target, vote: Vote, now: float) -> str:
    """Return the beginning of a ledger entry; the script appends up and down votes."""
    return f"{user_id} {on.post_id} {on.comment_id} {int(vote)} {int(now)}"
