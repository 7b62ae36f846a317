"""Finds words on PostgreSQL, with trigram indexes.

The indexes return all rows with the words, in no order. So this estimates among how many of the
newest rows enough have the words, and only searches these. The index has the number of each row's
thousand, so that it skips all others.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from django.db.models import Case, Count, F, Max, Q, When
from django.db.models.lookups import GreaterThanOrEqual

from forum.errors import SearchTooSlow
from forum.models import Comment, Post
from forum.search import filters
from forum.search.candidates import BY_INDEX, Candidates, word_clauses
from forum.search.conditions import Query

CANCELED = "57014"
"""PostgreSQL's code for a statement that took too long."""
SAMPLE = 2_000
"""How many of the newest rows are read to estimate how many match."""
WANTED = 1_000
"""How many matches the first try should find: more than are shown, because this is an estimate."""
CHECKED = 3_000
"""About how many of the newest rows with the words are checked."""
LIMITS = (
    "SELECT set_config('statement_timeout', %s, true), set_config('work_mem', '32MB', true),"
    " set_config('max_parallel_workers_per_gather', '0', true)"
)
"""Enough memory for the exact places of a million rows; with less, whole pages are checked."""
THOUSAND = F("pk") / 1_000
"""As in the index."""


def candidates(query: Query, model: type[Post | Comment], viewer_id: int) -> Iterator[Candidates]:
    """Yield the candidates of a search: first few, then more. One query if it has words."""
    words = Query(word_clauses(query))
    if not words.clauses:
        yield Candidates()
        return
    conditions = (filters.matching(one, model, viewer_id) for one in (words, query))
    newest, with_words, matching = _sample(model, *conditions)
    few = SAMPLE * WANTED // max(matching, 1)
    most = SAMPLE * CHECKED // max(with_words, 1)
    for number in sorted({min(few, most), most}):
        if number > newest / 4:  # the whole index is searched as fast
            yield Candidates(newest_first=BY_INDEX)
            return
        newer = Q(GreaterThanOrEqual(THOUSAND, (newest - number) // 1_000))
        yield Candidates(newer, BY_INDEX, complete=False)


def _sample(model: type[Post | Comment], words: Q, condition: Q) -> tuple[int, int, int]:
    """Return the newest row's id, and how many of the newest rows have the words, and match.

    One query.
    """
    parts = Case(When(words, then=Case(When(condition, then=2), default=1)), default=0)
    rows = model.objects.alias(points=filters.POINTS).annotate(parts=parts).order_by("-pk")
    found = rows[:SAMPLE].aggregate(
        newest=Max("pk"),
        with_words=Count("pk", filter=Q(parts__gte=1)),
        matching=Count("pk", filter=Q(parts=2)),
    )
    return found["newest"] or 0, found["with_words"], found["matching"]


def newest_posts(pattern: str, most: int) -> list[int]:
    """Return the ids of the newest posts with words, even of deleted posts. One query."""
    found = Post.objects.filter(search_text__contains=pattern).order_by("-pk")
    return list(found.values_list("pk", flat=True)[:most])


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop SQL statements that take longer. Raises SearchTooSlow. One query."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(LIMITS, [f"{seconds}s"])
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == CANCELED:
            raise SearchTooSlow from error
        raise
