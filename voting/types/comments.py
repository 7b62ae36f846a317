"""Comments: what callers publish, their tallies, and the newest comments of a post."""

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
    """Everything about a comment that `voting` needs.

    `posted_at` is in whole seconds since 1970. `card` is the caller's own text, returned with the
    newest comments. `version` grows with every change of the comment: an older version never
    replaces a newer one. Votes on an `answer` to a question never close.
    """

    id: int
    post_id: int
    author_id: int
    posted_at: int
    card: str
    version: int = 1
    answer: bool = False


@dataclass(frozen=True, slots=True)
class CommentRecord:
    """A comment as SQL has it, with its tally and the ids of its voters."""

    comment: Comment
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentTally:
    """The tally of a comment, as one viewer sees it."""

    up: int
    down: int
    vote: Vote | None
    """The viewer's vote on the comment; None for guests, or if the voter set has expired."""
    closes_at: int | None
    """Seconds since 1970 at which voting ends; None for an answer, on which it never ends."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class CommentStates:
    """The tallies of comments of any posts, by comment, and the viewer's unread count."""

    tallies: Mapping[int, CommentTally]
    unread: int | None
    """The viewer's unread count; None for guests."""


@dataclass(frozen=True, slots=True)
class ThreadState:
    """What a thread's page shows: the post's row and standing, and tallies by comment.

    Unknown and retracted comments have no tally.
    """

    row: Row
    standing: Standing
    tallies: Mapping[int, CommentTally]
    seen_at: int | None = None
    """When (seconds since 1970) the viewer's visit before this one was; None if there was none, or
    visits are not recorded.
    """
    unread: int | None = None
    """The viewer's unread count; None for guests."""


@dataclass(frozen=True, slots=True)
class NewestComment:
    """One of a post's newest comments, with the card that was published."""

    id: int
    card: str


@dataclass(frozen=True, slots=True)
class NewestPage:
    """Some of a post's newest comments, newest first.

    Redis has every comment with an id of `floor` or more; the caller reads those with lower ids
    from SQL. A `floor` of 0 means that there are no lower ids. A `floor` of None means that Redis
    doesn't have the list: then `comments` is empty, and a `filler` that is not None gives the
    caller the right to fill the list (see `Comments.fill_newest`).
    """

    comments: tuple[NewestComment, ...]
    floor: int | None
    filler: str | None = None
