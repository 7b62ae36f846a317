"""Candidates: the newest posts or comments that may have the words of a search.

Only these are checked against all conditions, so that no words can make a search slow. Each
database finds them in its own way (`sqlite`, `postgresql`).
"""

from dataclasses import dataclass, field

from django.db.models import F, Q
from django.db.models.expressions import Combinable

from forum.search.conditions import OWN, Author, Clause, Is, Query, Words


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows to check. By default all, newest first."""

    condition: Q = field(default_factory=Q)
    newest_first: Combinable | str = "-pk"
    """The order in SQL. Not "-pk" if the database must not read the whole table in this order."""
    complete: bool = True
    """Whether no older row can match."""


BY_INDEX = -F("pk")
"""Newest first, for a database that then sorts what a full-text index found."""


def word_clauses(query: Query) -> tuple[Clause, ...]:
    """Return the clauses that only ask for words; none if rows are found without their words.

    These are searches for what a certain person wrote, saved or liked. Few of the newest rows with
    the words may be theirs.
    """
    if any(map(_is_personal, query.clauses)):
        return ()
    return tuple(clause for clause in query.clauses if _asks_for_words(clause))


def patterns(clause: Clause) -> list[str]:
    """Return the patterns of the words in a clause."""
    return [one.asked.pattern for one in clause if isinstance(one.asked, Words)]


def _asks_for_words(clause: Clause) -> bool:
    return all(isinstance(one.asked, Words) and not one.negated for one in clause)


def _is_personal(clause: Clause) -> bool:
    if len(clause) > 1 or clause[0].negated:
        return False
    asked = clause[0].asked
    return isinstance(asked, Author) or (isinstance(asked, Is) and asked.trait in OWN)
