"""Candidates: the newest posts or comments that may have the words of a search.

Only candidates are checked against all conditions, so that no words can make a search slow. Each
database finds candidates in its own way (`sqlite`, `postgresql`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import inf

from django.db.models import F, Q
from django.db.models.expressions import Combinable

from forum.queries.prepared import Values
from forum.search.conditions import OWN, Author, Clause, Is, Query, Words
from forum.text.search_text import SHORTEST


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows of a table that a search checks, and their order. By default all, newest first."""

    condition: Q = field(default_factory=Q)
    # With "-pk", a database that expects many matches walks the primary key from its end, which
    # reads the whole table if the words are rare.
    newest_first: Combinable | str = "-pk"
    """The order in SQL. Not "-pk" if the database must not read the whole table in this order."""
    complete: bool = True
    """Whether no older row can match."""
    values: Values = field(default_factory=dict)
    """The values of the blanks in `condition`."""


RAREST = 4
"""How many parts of words candidates must have. Finding rows with a common one takes 20 ms."""
COMPARED = 40
"""Of how many parts the rarest are chosen."""
BY_INDEX = -F("pk")
"""Newest first, for a database that then sorts what a full-text index found."""


Parts = list[list[list[str]]]
"""Parts of words that candidates must have. Each clause has alternatives, each with its parts."""


def word_clauses(query: Query) -> tuple[Clause, ...]:
    """Return the clauses (conditions joined by OR) that ask only for words.

    Returns () if the search also asks for what one person wrote, saved or liked, because few rows
    with the words would then be results.
    """
    if any(map(_is_personal, query.clauses)):
        return ()
    return tuple(clause for clause in query.clauses if _asks_for_words(clause))


def patterns(clause: Clause) -> list[str]:
    """Return the pattern (`Words.pattern`) of each word or phrase that a clause asks for.

    A clause is one or more conditions of a search, joined by OR.
    """
    return [one.asked.pattern for one in clause if isinstance(one.asked, Words)]


def rarest(
    clauses: Iterable[Sequence[str]],
    split: Callable[[str], Iterable[str]],
    frequencies: Callable[[Sequence[str]], Mapping[str, int]],
) -> Parts:
    """Return the rarest parts, such as trigrams, of the words in a search.

    Each clause has the patterns of words or phrases that are joined by OR in the search. Uses only
    clauses with a single pattern; if there are none, uses all clauses.
    """
    single = [pattern for clause in clauses if len(clause) == 1 for pattern in clause]
    wanted = [[[*chain.from_iterable(map(split, single))]]]
    if not single:
        wanted = [[[*split(pattern)] for pattern in clause] for clause in clauses]
    parts = [*dict.fromkeys(chain.from_iterable(chain.from_iterable(wanted)))]
    found = frequencies(parts[:: len(parts) // COMPARED + 1])

    def first(some: Iterable[str]) -> list[str]:
        return sorted(dict.fromkeys(some), key=lambda part: found.get(part, inf))[:RAREST]

    return [[first(some) for some in clause] for clause in wanted]


def trigrams(text: str) -> list[str]:
    """Return the trigrams of a text: all sequences of three characters."""
    return [text[start : start + SHORTEST] for start in range(len(text) - SHORTEST + 1)]


def _asks_for_words(clause: Clause) -> bool:
    return all(isinstance(one.asked, Words) and not one.negated for one in clause)


def _is_personal(clause: Clause) -> bool:
    if len(clause) > 1 or clause[0].negated:
        return False
    asked = clause[0].asked
    return isinstance(asked, Author) or (isinstance(asked, Is) and asked.trait in OWN)
