"""Frozen values that callers pass to voting or get back from voting."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum

from voting.types.follows import GroupRelation, Suggestion


class Vote(IntEnum):
    """A person's vote on a post or comment."""

    DOWN = -1
    NONE = 0
    UP = 1

    @property
    def word(self) -> str:
        """The vote as forms, pages and the API spell it."""
        return WORDS[self]


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A voter whose account is new. Only a few votes of such accounts count on a target."""

    ends_at: int
    """When the account stops being new (s since 1970). A waiting vote counts from then on."""
    network: str
    """A hash of the voter's network. Of each network, one such vote counts on a target."""
    most: int
    """How many votes of new accounts count on a target at a time."""

    def __str__(self) -> str:
        """Return the text that `lua/shared/new_place.lua` reads."""
        return f"{self.ends_at} {self.most} {self.network}"


VOTES = {vote.value: vote for vote in Vote}
"""Each `Vote` by its number. A look-up here is faster than `Vote(number)`."""
BY_WORD = {"up": Vote.UP, "down": Vote.DOWN, "none": Vote.NONE}
"""Each `Vote` by the word that forms and the API send."""
WORDS = {vote: word for word, vote in BY_WORD.items()}


VOID = 0
"""In place of the time from which a vote counts: moderators took the vote out of the count."""


class Order(StrEnum):
    """The order of the posts in a listing."""

    HOT = "hot"
    NEW = "new"
    ACTIVE = "active"
    VIEWS = "views"
    TOP_DAY = "top:day"
    TOP_WEEK = "top:week"
    TOP_MONTH = "top:month"
    TOP_ALL = "top:all"


class Direction(StrEnum):
    """Whether a listing begins with the highest or the lowest posts of a ranking."""

    DESC = "desc"
    ASC = "asc"


class Formula(StrEnum):
    """The formula that computes a post's hot score from votes and time (see `voting.scores`)."""

    LINEAR = "linear"
    LOG = "log"


class Operator(StrEnum):
    """The ways to combine groups: posts in any group, in all groups, or only in the first."""

    ANY = "+"
    ALL = "&"
    WITHOUT = "~"


SCORING = 2
"""Increase this number when `voting.scores` changes, so that the next start recomputes stored
scores.
"""


@dataclass(frozen=True, slots=True)
class Rules:
    """A site's settings for voting. All processes of one site must use the same rules."""

    window: int = 604_800
    """Seconds that a post or comment stays open to votes."""
    weight: float = 432.0
    """Seconds that one vote adds to a hot score (`linear`), unless Redis has its own number."""
    formula: Formula = Formula.LINEAR
    page_size: int = 25
    """The number of rows on a page of a listing."""
    mix_seconds: int = 60
    """Seconds for which a mix or a feed is cached."""
    ranking_limit: int = 100_000
    """The most posts in a ranking; beyond that, the lowest posts are dropped."""
    answer_up: int = 2
    """What an up vote adds to an answer's weight."""
    answer_down: int = 1
    """What a down vote takes from an answer's weight."""

    def signature(self) -> str:
        """Return a text made of those settings on which stored scores and voter sets depend."""
        return f"{SCORING}:{self.formula}:{self.weight:g}:{self.window}"

    def weighing(self, vote_seconds: float) -> "Rules":
        """Return a copy of the rules in which a vote adds `vote_seconds` to a hot score."""
        return self if vote_seconds == self.weight else replace(self, weight=vote_seconds)


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a vote: a post, or one of its comments if `comment_id` is not 0."""

    post_id: int
    comment_id: int = 0


@dataclass(frozen=True, slots=True)
class Post:
    """Everything that `voting` needs to know about a post.

    `posted_at` is in whole seconds since 1970. `card` is a text that is returned with every row.
    `version` grows with every change of the post; an older version never replaces a newer one.
    """

    id: int
    author_id: int
    posted_at: int
    groups: tuple[str, ...]
    card: str
    version: int = 1
    comments: int = 0
    commented_at: int = 0
    """Time of the last comment (s since 1970); 0 without comments."""


@dataclass(frozen=True, slots=True)
class PostRecord:
    """A post as stored in SQL, with its tally, its views and the ids of all voters."""

    post: Post
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()
    views: int = 0
    starting_points: int = 0
    """Points that nobody's vote gave, such as points on another site. They count like votes."""
    uncounted: Mapping[int, int] = field(default_factory=dict)
    """Voters whose votes don't count -> when they will (s since 1970); `VOID` for void votes."""
    newcomers: Mapping[int, Newcomer] = field(default_factory=dict)
    """Voters whose votes count although their accounts are new."""


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
    """The viewer's vote on the post; None for guests, or if the voter set has expired."""
    comments: int = 0
    views: int = 0
    saved: bool = False
    seen: int | None = None
    """How many comments the thread had at the viewer's last visit; None if unknown."""
    starting_points: int = 0
    """Points that nobody's vote gave, such as points on another site."""
    counts_at: int | None = None
    """If the viewer's vote doesn't count: when it will (s since 1970), or `VOID`."""

    @property
    def points(self) -> int:
        return self.up - self.down + self.starting_points


@dataclass(frozen=True, slots=True)
class Ballot:
    """The result of casting a vote: the person's vote and the target's tally."""

    target: Target
    vote: Vote
    up: int
    down: int
    changed: bool
    closes_at: int
    """When voting closes (s since 1970); 0 for an answer, on which voting never closes."""
    rows: tuple[Row, ...] = ()
    """The post's row with the new vote and tally, if it was requested."""
    starting_points: int = 0
    """The post's points that nobody's vote gave; 0 for comments."""
    counts_at: int | None = None
    """If the vote doesn't count: when it will (s since 1970), or `VOID`."""

    @property
    def points(self) -> int:
        return self.up - self.down + self.starting_points


@dataclass(frozen=True, slots=True)
class Mix:
    """Combined groups in canonical order, such as `books+science`; see `topics.groups.parse`."""

    operator: Operator
    groups: tuple[str, ...]

    def __str__(self) -> str:
        return self.operator.join(self.groups)


@dataclass(frozen=True, slots=True)
class Hiding:
    """Which posts a viewer's listings leave out."""

    posts: bool = True
    """Whether to leave out hidden posts, and posts in hidden groups."""
    read: bool = False
    """Whether to leave out posts whose threads the viewer opened in the last 30 days, unless they
    have comments since.
    """


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place where a page of a listing ends. It stays valid when posts come or go."""

    score: float
    """The score of the last post that was checked for the page, even if the viewer hides it."""
    post_id: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing with at most `size` rows. The whole ranking has `total` posts."""

    rows: tuple[Row, ...]
    number: int
    size: int
    total: int
    more: bool = False
    """Whether the listing has posts after this page."""
    last: Cursor | None = None
    """The cursor for the next page; None if the page has no posts, not even hidden posts."""
    trimmed: bool = False
    """Whether the ranking is so full that it may have dropped posts. SQL still has these posts."""
    unread: int | None = None
    """The viewer's unread count; None for guests."""
    relation: GroupRelation | None = None
    """Whether the viewer follows or hides the group; None except on a group's page."""
    suggestions: tuple[Suggestion, ...] = ()
    """Suggested people to follow, if the page is of a feed and suggestions were requested."""
    pinned: tuple[Row, ...] = ()
    """On the first page, the requested pinned posts that the viewer does not hide."""

    @classmethod
    def numbered(cls, rows: tuple[Row, ...], number: int, size: int, total: int) -> "Page":
        """Return a page of a list that is split into pages by number alone."""
        return cls(rows, number, size, total, more=number * size < total)

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))

    @property
    def first_rank(self) -> int:
        return (self.number - 1) * self.size + 1
