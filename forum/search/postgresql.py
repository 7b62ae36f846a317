"""Finds words on PostgreSQL, with trigram indexes.

Only the rarest trigrams of the words are looked up in the index, because reading common ones takes
long. The index returns all rows with these trigrams, in no order. All of them must be read, because
only some have the words. So this module first estimates from a sample how far back to search, and
then searches only rows that are new enough. The index also has each row's id divided by 1,000, so
that PostgreSQL can skip older rows.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from operator import and_, or_

from django.db import OperationalError, connection, transaction
from django.db.models import Case, Count, F, Max, Q, When
from django.db.models.lookups import GreaterThanOrEqual

from forum.errors import SearchTooSlow
from forum.models import Comment, Post
from forum.search import filters
from forum.search.candidates import (
    BY_INDEX,
    RAREST,
    Candidates,
    Parts,
    patterns,
    rarest,
    trigrams,
    word_clauses,
)
from forum.search.conditions import Query
from forum.search.filters import has
from forum.text.search_text import SHORTEST

CANCELED = "57014"
"""PostgreSQL's code for a statement that took too long."""
SAMPLE, FEWER = 2_000, 500
"""How many of the newest rows are read to estimate how many match, and which parts are rare."""
WANTED = 1_000
"""How many matches the first try should find: more than are shown, because this is an estimate."""
CHECKED = 2_000
"""About how many rows of the index are read, if it has more than twice as many."""
RUN = re.compile(r"[^\W_]+")
"""Letters and digits in a row. The index has no trigrams of other characters."""
LIMITS = (
    "SELECT set_config('statement_timeout', %s, true), set_config('work_mem', '32MB', true),"
    " set_config('max_parallel_workers_per_gather', '0', true)"
)
"""Enough memory for the exact places of a million rows; with less, whole pages are checked."""
THOUSAND = F("pk") / 1_000
"""As in the index."""


def candidates(query: Query, model: type[Post | Comment], viewer_id: int) -> Iterator[Candidates]:
    """Yield a small set of candidates of a search, then (if needed) a larger set."""
    clauses = [*map(patterns, word_clauses(query))]
    found = rarest(clauses, _split, partial(_frequencies, model))
    parts = [alternatives for alternatives in found if all(alternatives)]
    if not parts:
        yield Candidates()
        return
    matching = filters.matching(query, model, viewer_id)
    newest, returned, matches = _sample(model, _combined(parts, _in_text), matching)
    few = SAMPLE * WANTED // max(matches, 1)
    most = SAMPLE * CHECKED // max(returned, 1)
    indexed = _combined(parts, _in_index)
    for number in sorted({min(few, most), most}):
        if number > newest / 2:  # the whole index is searched as fast
            yield Candidates(indexed, BY_INDEX)
            return
        newer = Q(GreaterThanOrEqual(THOUSAND, (newest - number) // 1_000))
        yield Candidates(indexed & newer, BY_INDEX, complete=False)


def _split(pattern: str) -> Iterator[str]:
    """Yield those parts of a searched text that the index can find.

    These are trigrams, and short words with the characters around them, such as " c#".
    """
    for run in RUN.finditer(pattern):
        yield from trigrams(run[0])
        if len(run[0]) < SHORTEST and run.start() > 0 and run.end() < len(pattern):
            yield pattern[run.start() - 1 : run.end() + 1]


def _in_index(part: str) -> Q:
    return Q(search_text__contains=part)


def _in_text(part: str) -> Q:
    """Return a condition that finds a part of the search in the text of rows, without the index.

    A part is a trigram, or a short word with one more character on each side. Like the index, the
    condition ignores these two characters.
    """
    word = RUN.search(part)
    if word and len(word[0]) < SHORTEST:
        return Q(search_text__regex=rf"\m{word[0]}\M")
    return Q(has(F("search_text"), part))


def _combined(parts: Parts, condition: Callable[[str], Q]) -> Q:
    clauses = []
    for clause in parts:
        alternatives = [reduce(and_, map(condition, some)) for some in clause]
        clauses.append(reduce(or_, alternatives))
    return reduce(and_, clauses)


def _frequencies(model: type[Post | Comment], parts: Sequence[str]) -> dict[str, int]:
    """Count how many of the newest rows contain each part of the searched words.

    Returns a dict from parts to counts. If there are at most `RAREST` parts, the counts aren't
    needed, so it returns {} without a query.
    """
    if len(parts) <= RAREST:
        return {}
    counts = {str(n): Count("pk", filter=_in_text(part)) for n, part in enumerate(parts)}
    found = model.objects.order_by("-pk")[:FEWER].aggregate(**counts)
    return {part: found[str(n)] for n, part in enumerate(parts)}


def _sample(model: type[Post | Comment], indexed: Q, condition: Q) -> tuple[int, int, int]:
    """Return the id of the newest row, and two counts among the newest `SAMPLE` rows.

    The first is the number of rows that meet the condition `indexed`, so that the index finds them.
    The second is the number of these rows that also meet `condition`.
    """
    kind = Case(When(indexed, then=Case(When(condition, then=2), default=1)), default=0)
    rows = (
        model.objects.alias(net_points=filters.POINTS[model]).annotate(found=kind).order_by("-pk")
    )
    found = rows[:SAMPLE].aggregate(
        newest=Max("pk"),
        returned=Count("pk", filter=Q(found__gte=1)),
        matches=Count("pk", filter=Q(found=2)),
    )
    return found["newest"] or 0, found["returned"], found["matches"]


def newest_posts(pattern: str, most: int) -> list[int]:
    """Return the ids of the newest posts that contain `pattern`, deleted or not."""
    found = Post.objects.filter(search_text__contains=pattern).order_by("-pk")
    return list(found.values_list("pk", flat=True)[:most])


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop SQL statements that take longer than `seconds`. Raises SearchTooSlow."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(LIMITS, [f"{seconds}s"])
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == CANCELED:
            raise SearchTooSlow from error
        raise
