"""Comments: the data to publish, the counts of votes, and the newest comments of a post."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from voting.types import Newcomer, Row, Vote
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
    """Everything that `voting` needs to know about a comment.

    `posted_at` is in whole seconds since 1970. `card` is a text that is returned with the newest
    comments. `version` grows with every change of the comment; an older version never replaces a
    newer one. Voting on an `answer` to a question never closes.
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
    """A comment as stored in SQL, with its tally and the ids of all voters."""

    comment: Comment
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()
    uncounted: Mapping[int, int] = field(default_factory=dict)
    """Voters whose votes don't count -> when they will (s since 1970); `VOID` for void votes."""
    newcomers: Mapping[int, Newcomer] = field(default_factory=dict)
    """Voters whose votes count although their accounts are new."""


@dataclass(frozen=True, slots=True)
class CommentTally:
    """The tally of a comment, as one viewer sees it."""

    up: int
    down: int
    vote: Vote | None
    """The viewer's vote on the comment; None for guests, or if the voter set has expired."""
    closes_at: int | None
    """When voting closes (s since 1970); None for an answer, on which voting never closes."""
    counts_at: int | None = None
    """If the viewer's vote doesn't count: when it will (s since 1970), or `VOID`."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class CommentStates:
    """The tallies of comments, and the number of unread items in the viewer's inbox."""

    tallies: Mapping[int, CommentTally]
    """The tallies by comment id. The comments may be on different posts."""
    unread: int | None
    """The viewer's unread count; None for guests."""


@dataclass(frozen=True, slots=True)
class ThreadState:
    """The numbers on the page of a thread.

    `tallies` maps the ids of comments to their numbers of up and down votes. It leaves out unknown
    and retracted comments.
    """

    row: Row
    standing: Standing
    tallies: Mapping[int, CommentTally]
    seen_at: int | None = None
    """The time of the viewer's previous visit (s since 1970); None if there is no recorded visit.
    """
    unread: int | None = None
    """The viewer's unread count; None for guests."""


@dataclass(frozen=True, slots=True)
class NewestComment:
    """One of a post's newest comments, with the text (`card`) that the caller published."""

    id: int
    card: str


@dataclass(frozen=True, slots=True)
class NewestPage:
    """Some of a post's newest comments, newest first.

    Redis has all comments whose id is `floor` or higher. Older comments must be read from SQL.
    `floor` is None if Redis doesn't have the list of newest comments. In this case, a caller that
    gets a `filler` can fill the list by passing the `filler` to `Comments.fill_newest`.
    """

    comments: tuple[NewestComment, ...]
    floor: int | None
    filler: str | None = None
