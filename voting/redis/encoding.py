"""Converts between Python values and the texts that the Lua scripts read and write.

Redis stores several values as one text (see `parts.lua` and `record.lua` in `lua/shared`), because
reading one field is faster than reading several.
"""

from typing import NamedTuple

from voting import keys
from voting.keys import people
from voting.redis.scripts import Argument
from voting.types import VOTES, Cursor, Target, Vote

SEPARATOR = "\x1f"
"""Separates the parts of a post's field `row`, and of the text that `row.lua` returns."""


class StoredRow(NamedTuple):
    """A post's data in a listing, except votes and views."""

    posted_at: int
    groups: tuple[str, ...]
    comments: int
    card: str


class Tally(NamedTuple):
    """A target's votes, the ledger entry id of the last change, and a post's starting points."""

    up: int
    down: int
    last: str
    starting_points: int = 0

    @property
    def points(self) -> int:
        return self.up - self.down + self.starting_points


def row_parts(text: str) -> StoredRow:
    """Parse the text that Redis stores in the field `row` of a post."""
    posted_at, groups, comments, card = text.split(SEPARATOR, 3)
    return StoredRow(int(posted_at), tuple(groups.split()), int(comments), card)


def tally_parts(text: str) -> Tally:
    """Parse a tally as Redis returns it (see `parts.lua`)."""
    up, down, *start, last = text.split()
    return Tally(int(up), int(down), last, *map(int, start))


def vote_parts(text: str | int) -> tuple[Vote, int | None]:
    """Split a vote as scripts return it into the vote and the time (s) until which it waits.

    The time is None if the vote counts, and `VOID` if it is void.
    """
    vote, _, counts_at = str(text).partition(":")
    return VOTES[int(vote)], int(counts_at) if counts_at else None


def listed_parts(text: str) -> tuple[int, str, Tally, int, StoredRow]:
    """Split the text that `row.lua` returns for a post into five parts.

    The parts are the post's id, the viewer's vote, the tally, the number of views and the post's
    other data.
    """
    post_id, vote, tally, views, row = text.split(SEPARATOR, 4)
    return int(post_id), vote, tally_parts(tally), int(views), row_parts(row)


def change(user_id: int, on: Target, vote: Vote, now: float) -> str:
    """Return the text that records a vote in the ledger.

    The voting script adds the tally at the end.
    """
    return f"{user_id} {on.post_id} {on.comment_id} {int(vote)} {int(now)}"


def member(post_id: int) -> str:
    """Return a post's member in rankings: its id with ten digits, so that newer posts win ties."""
    return f"{post_id:010d}"


def cursor_arguments(cursor: Cursor | None) -> tuple[str, str]:
    """Return a cursor's score and post as two script arguments. Without a cursor, both are ""."""
    return ("", "") if cursor is None else (repr(cursor.score), member(cursor.post_id))


def row_patterns(viewer: int | None) -> tuple[Argument, ...]:
    """Return the arguments that `lua/shared/row.lua` needs to read rows for a viewer."""
    own = (people.saved(viewer), people.seen(viewer)) if viewer else ("", "")
    return (viewer or 0, keys.POST_PATTERN, keys.VOTERS_SUFFIX, keys.SHARDS, *own)


class LoadArguments(NamedTuple):
    """The arguments of `lua/load.lua`, except the first argument, which is the time."""

    post_id: int
    member: str
    author_id: int
    posted_at: int
    version: int
    card: str
    groups: str
    comments: int
    commented_at: int
    up: int
    down: int
    views: int
    voters: int
    filling: int
    last: str
    starting_points: int
    uncounted: int
    places: str
