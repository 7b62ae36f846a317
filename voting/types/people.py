"""People: counters, and what a profile page shows."""

from collections.abc import Mapping
from dataclasses import dataclass

from voting.types import Row
from voting.types.comments import CommentTally
from voting.types.follows import FollowCounts


@dataclass(frozen=True, slots=True)
class PersonCounts:
    """A person's counters: posts and comments that are not deleted, up votes on other people's
    posts and comments, karma, follows and followers.
    """

    posts: int = 0
    comments: int = 0
    likes_given: int = 0
    karma: int = 0
    follows: int = 0
    followers: int = 0


@dataclass(frozen=True, slots=True)
class PersonView:
    """A person as one viewer sees them, with the rows and tallies that their page shows."""

    counts: PersonCounts | None
    """The person's counters; None if they were never set."""
    follows: FollowCounts
    rows: tuple[Row, ...]
    tallies: Mapping[int, CommentTally]
    """The tallies of the comments on the page, by comment id."""
    unread: int | None
    """The viewer's unread count; None for guests."""
    common: tuple[int, ...]
    """Ids of the people whom both the viewer and this person follow."""
