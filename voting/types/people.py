"""People: a person's counters, and the content of a profile page."""

from collections.abc import Mapping
from dataclasses import dataclass

from voting.types import Row
from voting.types.comments import CommentTally
from voting.types.follows import FollowCounts


@dataclass(frozen=True, slots=True)
class PersonCounts:
    """A person's counters, which a profile page shows.

    They count posts and comments that aren't deleted, up votes given to other people, karma,
    follows and followers.
    """

    posts: int = 0
    comments: int = 0
    likes_given: int = 0
    karma: int = 0
    follows: int = 0
    followers: int = 0


@dataclass(frozen=True, slots=True)
class PersonView:
    """The content of a person's profile page, as one viewer sees it."""

    counts: PersonCounts | None
    """The person's counters, or None if they were never set."""
    follows: FollowCounts
    rows: tuple[Row, ...]
    tallies: Mapping[int, CommentTally]
    """The tallies of the comments on the page, by comment id."""
    unread: int | None
    """The viewer's unread count; None for guests."""
    common: tuple[int, ...]
    """Ids of the people whom both the viewer and this person follow."""
