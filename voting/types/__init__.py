"""The words voting speaks: frozen values that cross the door between `voting` and its callers."""

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from voting.types.follows import GroupTies, Suggestion


class Vote(IntEnum):
    """A person's state on a target."""

    DOWN = -1
    NONE = 0
    UP = 1


VOTES = {vote.value: vote for vote in Vote}
"""Votes by number: quicker than `Vote(number)`, which pages would ask for each comment."""


class Order(StrEnum):
    """How a listing is ranked."""

    HOT = "hot"
    NEW = "new"
    ACTIVE = "active"
    VIEWS = "views"
    TOP_DAY = "top:day"
    TOP_WEEK = "top:week"
    TOP_MONTH = "top:month"
    TOP_ALL = "top:all"


class Direction(StrEnum):
    """Which end of a ranking comes first."""

    DESC = "desc"
    ASC = "asc"


class Formula(StrEnum):
    """How votes and time make a score (see `voting.scores`)."""

    LINEAR = "linear"
    LOG = "log"


class Operator(StrEnum):
    """How a mix combines its groups."""

    ANY = "+"
    ALL = "&"
    WITHOUT = "~"


SCORING = 2
"""Add one when `voting.scores` changes, so that stored scores are recomputed at the next start."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a site decides about voting. Every instance of one site must use the same rules."""

    window: int = 604_800
    """Seconds a post stays open to votes."""
    weight: float = 432.0
    """Seconds one net vote is worth (`linear`) in a store that was not given another number."""
    formula: Formula = Formula.LINEAR
    page_size: int = 25
    """Rows of a listing."""
    mix_seconds: int = 60
    """Seconds a combined listing may be remembered."""
    ranking_limit: int = 100_000
    """Posts a ranking holds at most; the worst are dropped beyond it."""
    answer_up: int = 2
    """What an up vote on an answer weighs (seed 004-11)."""
    answer_down: int = 1
    """What a down vote takes from an answer's weight."""

    def signature(self) -> str:
        """The part of the rules that stored scores and voter sets depend on."""
        return f"{SCORING}:{self.formula}:{self.weight:g}:{self.window}"

    def weighing(self, vote_seconds: float) -> "Rules":
        """Return the same rules where one net vote is worth so many seconds."""
        return self if vote_seconds == self.weight else replace(self, weight=vote_seconds)


@dataclass(frozen=True, slots=True)
class Target:
    """What a vote is cast on: a post, or one of its comments where `comment_id` is not 0."""

    post_id: int
    comment_id: int = 0


@dataclass(frozen=True, slots=True)
class Post:
    """What voting must know of a post.

    `posted_at` is in whole seconds since 1970 (UTC). `card` is the caller's own text, kept beside
    the tallies and given back with every row. `version` grows with every change of the post:
    an older version never replaces a newer one.
    """

    id: int
    author_id: int
    posted_at: int
    groups: tuple[str, ...]
    card: str
    version: int = 1
    comments: int = 0
    commented_at: int = 0
    """Time of the last comment; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class Record:
    """A whole post as an archive remembers it: the post, its tallies and the ids of its voters."""

    post: Post
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()
    views: int = 0


@dataclass(frozen=True, slots=True)
class Ballot:
    """A person's vote as it stands after `cast_vote`, with the tallies of the target (votes)."""

    target: Target
    vote: Vote
    up: int
    down: int
    changed: bool
    closes_at: int
    """When (s since 1970) voting on the target ends; 0 for an answer, where it never does."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class Row:
    """One post of a listing, as one viewer sees it."""

    id: int
    posted_at: int
    up: int
    down: int
    groups: tuple[str, ...]
    card: str
    vote: Vote | None
    """The viewer's vote; None where nobody looks, or where the voter set has expired."""
    comments: int = 0
    views: int = 0
    saved: bool = False
    seen: int | None = None
    """Comments there were when the viewer last opened the thread; None where that is not known."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class Mix:
    """Several groups combined; made by `voting.topics.groups.parse`, always in canonical order."""

    operator: Operator
    groups: tuple[str, ...]

    def __str__(self) -> str:
        return self.operator.join(self.groups)


@dataclass(frozen=True, slots=True)
class Hiding:
    """What a viewer's listings leave out."""

    posts: bool = True
    """Posts they hid, and posts in groups they hid."""
    read: bool = False
    """Posts whose threads they opened lately."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a listing, which stays where it is when other posts come, go or move."""

    score: float
    """The score of the last post looked at, in the listing's own order."""
    post_id: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing: at most `size` rows; `total` posts in the whole ranking."""

    rows: tuple[Row, ...]
    number: int
    size: int
    total: int
    after: int = 0
    """Rank (from 0) at which the next page starts; 0 where only the number says that."""
    last: Cursor | None = None
    """After which the next page starts; None where no post was looked at, or it is not known."""
    trimmed: bool = False
    """True where the ranking is (nearly) full: posts beyond `total` exist only in the archive."""
    unread: int | None = None
    """Unread items in the viewer's inbox; None where nobody looks."""
    ties: GroupTies | None = None
    """What the viewer makes of the group, where it is one group's page."""
    suggestions: tuple[Suggestion, ...] = ()
    """People worth following, where a feed was asked for some."""
    pinned: tuple[Row, ...] = ()
    """The pinned posts that the caller named, on the first page; those the viewer hid are not."""

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))

    @property
    def more(self) -> bool:
        """Whether the ranking goes on after this page."""
        return (self.after or self.number * self.size) < self.total

    @property
    def first_rank(self) -> int:
        return (self.number - 1) * self.size + 1
