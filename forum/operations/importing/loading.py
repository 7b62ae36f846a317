"""Loads what a plan says: what is there already is left alone, what is missing is written.

A load may die at any moment and be repeated: a row is known by the origin of its post, and posts
that Redis has not heard of wait in the outbox.
"""

from collections.abc import Iterable, Iterator

from forum.content import post_service
from forum.models import Group
from forum.operations.importing import groups, people
from forum.operations.importing.csv_rows import Row
from forum.operations.importing.drafts import Draft
from forum.operations.importing.group_choice import described, slugs_of
from forum.operations.importing.people import Stranger
from forum.operations.importing.plan import Plan
from forum.operations.importing.point_voters import draw
from forum.operations.importing.writer import write_batch


def load(plan: Plan) -> Iterator[int]:
    """Write the missing posts batch by batch, oldest first; yield how many after each.

    Raises StoreUnavailable where Redis goes away; the batch it did not hear of is in the outbox.
    """
    post_service.deliver(plan.undelivered)
    if not plan.missing:
        return
    surroundings = _Surroundings(plan, _people(plan), _groups(plan))
    for start in range(0, len(plan.missing), plan.options.batch):
        rows = plan.missing[start : start + plan.options.batch]
        yield len(write_batch([surroundings.draft(row) for row in rows]))


def tally(points: int, most: int) -> tuple[int, int]:
    """Return up and down votes that make `points`, the author's up vote among them.

    At most `most` votes in all, so that the points of a popular post may come out lower.
    """
    if points >= 1:
        return min(points, most), 0
    return 1, min(1 - points, most - 1)


def changed(rows: Iterable[Row], most: int) -> int:
    """Return how many rows come out with other points than the file says."""
    tallies = ((row.points, *tally(row.points, most)) for row in rows)
    return sum(points != up - down for points, up, down in tallies)


class _Surroundings:
    """What a row needs to become a draft: the people and groups of the whole file."""

    def __init__(
        self, plan: Plan, people: dict[str, int], groups: dict[Row, tuple[Group, ...]]
    ) -> None:
        self._plan = plan
        self._ids = people
        self._people = tuple(people.values())
        self._groups = groups

    def draft(self, row: Row) -> Draft:
        """Return the row as a post with its voters."""
        origin = self._plan.options.origin(row)
        author_id = self._ids[_author(self._plan, row.author)]
        up, down = tally(row.points, self._plan.options.votes)
        votes = draw(
            origin,
            author_id=author_id,
            posted_at=row.posted_at,
            up=up,
            down=down,
            people=self._people,
        )
        return Draft(
            origin=origin,
            author_id=author_id,
            kind=row.kind,
            title=row.title,
            url=row.url,
            posted_at=row.posted_at,
            groups=self._groups[row],
            votes=votes,
        )


def _people(plan: Plan) -> dict[str, int]:
    """Return the ids of the file's authors, and of as many others as its points need."""
    source = plan.options.source
    joined: dict[str, int] = {}
    for row in plan.rows:
        joined.setdefault(row.author, row.posted_at)
    authors = [Stranger(_author(plan, name), name, at) for name, at in joined.items()]
    voters = max(sum(tally(row.points, plan.options.votes)) for row in plan.rows)
    others = [
        Stranger(f"{source}#{number}", f"{source}-reader-{number}", plan.rows[0].posted_at)
        for number in range(1, voters - len(authors) + 1)
    ]
    return people.ensure([*authors, *others])


def _author(plan: Plan, name: str) -> str:
    return f"{plan.options.source}:{name}"


def _groups(plan: Plan) -> dict[Row, tuple[Group, ...]]:
    slugs = slugs_of(plan.rows)
    wanted = sorted({slug for several in slugs.values() for slug in several})
    there = groups.ensure([described(slug) for slug in wanted])
    return {row: tuple(there[slug] for slug in several) for row, several in slugs.items()}
