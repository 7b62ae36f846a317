"""The words voting speaks: frozen values that cross the door between `voting` and its callers."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Vote(IntEnum):
    """A person's state on a target."""

    DOWN = -1
    NONE = 0
    UP = 1


class Order(StrEnum):
    """How a listing is ranked."""

    HOT = "hot"
    NEW = "new"
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


@dataclass(frozen=True, slots=True)
class Rules:
    """What a site decides about voting. Every instance of one site must use the same rules."""

    window: int = 604_800
    """Seconds a post stays open to votes."""
    weight: float = 432.0
    """Seconds one net vote is worth (`linear`)."""
    formula: Formula = Formula.LINEAR
    page_size: int = 25
    """Rows of a listing."""
    mix_seconds: int = 60
    """Seconds a combined listing may be remembered."""
    ranking_limit: int = 100_000
    """Posts a ranking holds at most; the worst are dropped beyond it."""

    def signature(self) -> str:
        """The part of the rules that stored scores and voter sets depend on."""
        return f"{self.formula}:{self.weight:g}:{self.window}"


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


@dataclass(frozen=True, slots=True)
class Record:
    """A whole post as an archive remembers it: the post, its tallies and the ids of its voters."""

    post: Post
    up: int
    down: int
    ups: tuple[int, ...] = ()
    downs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ballot:
    """A person's vote as it stands after `cast_vote`, with the tallies of the target (votes)."""

    target: Target
    vote: Vote
    up: int
    down: int
    changed: bool
    closes_at: int
    """Seconds since 1970 at which voting on the target ends."""

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

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(frozen=True, slots=True)
class Mix:
    """Several groups combined; made by `voting.groups.parse_mix`, always in canonical order."""

    operator: Operator
    groups: tuple[str, ...]

    def __str__(self) -> str:
        return self.operator.join(self.groups)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing: at most `size` rows; `total` posts in the whole ranking."""

    rows: tuple[Row, ...]
    number: int
    size: int
    total: int
    trimmed: bool = False
    """True where the ranking is (nearly) full: posts beyond `total` exist only in the archive."""

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))

    @property
    def first_rank(self) -> int:
        return (self.number - 1) * self.size + 1


@dataclass(frozen=True, slots=True)
class Standing:
    """Why a post is where it is on the front page."""

    post_id: int
    posted_at: int
    up: int
    down: int
    score: float
    """Seconds since 1970: the posting time plus what the votes are worth."""
    rank: int | None
    """1 is the first of `hot`; None where the post is not ranked."""
    total: int
    next_id: int | None
    """The post just above, or None."""
    votes_to_next: int | None
    """Up votes that would pass the post just above."""

    @property
    def vote_seconds(self) -> float:
        return self.score - self.posted_at


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted change of a vote, as the ledger keeps it."""

    id: str
    shard: int
    user_id: int
    target: Target
    vote: Vote
    at: int
    """Seconds since 1970."""
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class Inspected:
    """Everything Redis holds of a post, as `check_voting` compares it with the archive."""

    posted_at: int
    up: int
    down: int
    ups: frozenset[int]
    """People who voted up; empty once the voter set has expired."""
    downs: frozenset[int]
    hot: float | None
    """Score in the site's `hot`; None where the post is not in it."""
    misplaced: tuple[str, ...]
    """Rankings in which the post does not have the score that its votes and time make."""
    groups: frozenset[str]
    """Groups that it says it is in, and that hold it."""
    changes: int
    """Votes so far; the same number twice means that nobody voted between two looks."""
    card: str
    gone: bool
