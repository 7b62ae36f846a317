"""The conditions of a search. `parser` makes them from the text that a person types."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Place(StrEnum):
    """The part of a post or comment that must contain a word."""

    ANYWHERE = "anywhere"
    TITLE = "title"
    TEXT = "text"
    """In a post's text or link, or in a comment."""


class Trait(StrEnum):
    """A property of posts or comments, such as being a question. People type it after `is:`."""

    LINK = "link"
    TEXT = "text"
    QUESTION = "question"
    ANSWERED = "answered"
    """A question whose author accepted an answer."""
    UNANSWERED = "unanswered"
    """A question without an accepted answer."""
    POST = "post"
    COMMENT = "comment"
    SAVED = "saved"
    LIKED = "liked"
    MINE = "mine"


OWN = frozenset({Trait.SAVED, Trait.LIKED, Trait.MINE})
"""Traits that depend on who searches."""


class Count(StrEnum):
    """The number that a search such as `points:>10` is about: points or comments.

    The values are the words that people type before the colon.
    """

    POINTS = "points"
    COMMENTS = "comments"


class Comparison(StrEnum):
    """The ways to compare a number in a search. The values are names of Django's lookups."""

    MORE = "gt"
    AT_LEAST = "gte"
    LESS = "lt"
    AT_MOST = "lte"
    EQUAL = "exact"


@dataclass(frozen=True, slots=True)
class Words:
    """Asks for texts with this word or phrase."""

    text: str
    """The words as the person typed them."""
    pattern: str
    """What stored texts must contain, as `search_text.pattern` returns it."""
    place: Place = Place.ANYWHERE


@dataclass(frozen=True, slots=True)
class Author:
    """Asks for posts and comments by this person."""

    name: str


@dataclass(frozen=True, slots=True)
class InGroup:
    """Asks for posts and comments in the group with this short name."""

    slug: str


@dataclass(frozen=True, slots=True)
class OnSite:
    """Asks for posts that link to `host` or to one of its subdomains."""

    host: str


@dataclass(frozen=True, slots=True)
class Is:
    """Asks for posts and comments with a trait, such as being a question or being saved."""

    trait: Trait


@dataclass(frozen=True, slots=True)
class Posted:
    """Asks for texts posted before `at`; if `after` is true, for texts posted at `at` or later."""

    at: datetime
    after: bool


@dataclass(frozen=True, slots=True)
class Counted:
    """Asks for texts with more, fewer or exactly `number` points or comments."""

    what: Count
    comparison: Comparison
    number: int


Asked = Words | Author | InGroup | OnSite | Is | Posted | Counted


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that results must meet or, with `negated`, must not meet."""

    asked: Asked
    negated: bool = False


Clause = tuple[Condition, ...]
"""Conditions of which at least one must hold. A search without OR has one in each clause."""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed search. Results must meet at least one condition of each clause."""

    clauses: tuple[Clause, ...] = ()
    unknown: tuple[str, ...] = ()
    """The parts of the text that were not understood."""

    @property
    def words(self) -> tuple[Words, ...]:
        """The words to highlight: all words that are not negated."""
        conditions = (condition for clause in self.clauses for condition in clause)
        return tuple(
            condition.asked
            for condition in conditions
            if isinstance(condition.asked, Words) and not condition.negated
        )
