"""Arguments that several scripts share, in the order in which the scripts read them."""

from typing import NamedTuple

from voting import keys
from voting.keys import people
from voting.redis.scripts import Argument
from voting.types import Cursor


def member(post_id: int) -> str:
    """Return a post's member in rankings: ten digits, so that newer posts win ties."""
    return f"{post_id:010d}"


def cursor_arguments(cursor: Cursor | None) -> tuple[str, str]:
    """Return the score and the member after which a page starts; "" for neither."""
    return ("", "") if cursor is None else (repr(cursor.score), member(cursor.post_id))


def row_patterns(viewer: int | None) -> tuple[Argument, ...]:
    """Return the arguments of `lua/shared/row.lua`."""
    own = (people.saved(viewer), people.seen(viewer)) if viewer else ("", "")
    return (viewer or 0, keys.POST_PATTERN, keys.VOTERS_SUFFIX, keys.SHARDS, *own)


class LoadArguments(NamedTuple):
    """The arguments of `lua/load.lua` after the time, in its order; a cluster's plan reads them."""

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
