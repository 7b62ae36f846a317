"""Comments: what callers publish, how a comment stands, and the newest comments of a post."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from voting.types import Row, Vote
from voting.types.standing import Standing


class Sort(StrEnum):
    """The order of the replies to one post or comment."""

    BEST = "best"
    TOP = "top"
    NEW = "new"
    OLD = "old"
    CONTROVERSIAL = "controversial"


@dataclass(frozen=True, slots=True)
class Comment:
    """What voting must know of a comment.

    `posted_at` is in whole seconds since 1970 (UTC). `shown` is the caller's own text, given back
    with the newest comments. `version` grows with every change of the comment: an older version
    never replaces a newer one. Votes on an `answer` to a question never close.
    """

    id: int
    post_id: int
    author_id: int
    posted_at: int
    shown: str
    version: int = 1
    answer: bool = False


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """A whole comment as an archive remembers it: with its tallies and the ids of its voters."""

    comment: Comment
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How a comment stands, as one viewer sees it."""

    up: int
    down: int
    vote: Vote | None
    """The viewer's vote; None where nobody looks, or where the voter set has expired."""
    closes_at: int | None
    """Seconds since 1970 at which voting ends; None for an answer, on which it never does."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class CommentStates:
    """How comments of whatever posts stand, by id, and what is unread in the viewer's inbox."""

    tallies: Mapping[int, Tally]
    unread: int | None
    """None where nobody looks."""


@dataclass(frozen=True, slots=True)
class ThreadState:
    """What a post's own page shows of voting: its row, its place, and comments by id.

    Comments that Redis does not know, and retracted ones, are not among the tallies.
    """

    row: Row
    standing: Standing
    tallies: Mapping[int, Tally]
    seen_at: int | None = None
    """When (seconds since 1970) the viewer was here the time before; None for the first, or where
    visits are not recorded.
    """
    unread: int | None = None
    """Unread items in the viewer's inbox; None where nobody looks."""


@dataclass(frozen=True, slots=True)
class Newest:
    """One of a post's newest comments: `shown` is what the publisher said of it."""

    id: int
    shown: str


@dataclass(frozen=True, slots=True)
class NewestPage:
    """Some of a post's newest comments, the newest first.

    Redis holds every comment whose id is `floor` or more, and none below it: there an archive goes
    on. A `floor` of 0 says that there are none below. None: Redis has not got the list (it has
    expired, or never was); `comments` is empty then, and a `filler` is the right to fill it.
    """

    comments: tuple[Newest, ...]
    floor: int | None
    filler: str | None = None


@dataclass(frozen=True, slots=True)
class InspectedComment:
    """Everything Redis holds of a comment, as `check_voting` compares it with the archive."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """People who voted up; empty once the voter set has expired."""
    downs: frozenset[int]
    last: str
    """Ledger id of the last vote; the same twice means that nobody voted between two looks."""
    answer: bool
    gone: bool
    version: int
