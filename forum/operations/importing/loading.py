"""Saves the posts of a file, except those that earlier imports have saved.

You can stop an import at any moment and start it again. Each saved post has an `origin`, which
names its row in the file. Posts that aren't in Redis yet wait in the outbox.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from forum.models import Group
from forum.operations.importing import people
from forum.operations.importing.csv_rows import Row
from forum.operations.importing.drafts import Cast, Draft, draw
from forum.operations.importing.group_choice import choose_slugs, new_group
from forum.operations.importing.people import Stranger
from forum.operations.importing.plan import Plan
from forum.operations.importing.writer import ensure_groups, write_batch
from forum.queries.groups import directory
from forum.store import post_sync


def load(plan: Plan) -> Iterator[int]:
    """Save the posts in `plan.missing` in batches, oldest first; yield the size of each batch.

    Raises StoreUnavailable if Redis is down. Posts that were already saved in SQL wait in the
    outbox until Redis is back.
    """
    post_sync.deliver(plan.undelivered)
    if not plan.missing:
        return
    ids, groups = _people(plan), _groups(plan)
    voters = tuple(ids.values())
    for start in range(0, len(plan.missing), plan.options.batch):
        rows = plan.missing[start : start + plan.options.batch]
        yield len(write_batch([_draft(plan, row, ids, voters, groups[row]) for row in rows]))


def tally(points: int, most: int) -> tuple[int, int]:
    """Return the numbers of up votes and down votes that give a post `points` points.

    The up votes include the author's own. There are at most `most` votes altogether, even if the
    post would need more votes to have that many points.
    """
    if points >= 1:
        return min(points, most), 0
    return 1, min(1 - points, most - 1)


def count_capped(rows: Iterable[Row], most: int) -> int:
    """Count the posts whose points in the file can't be reached with at most `most` votes."""
    tallies = ((row.points, *tally(row.points, most)) for row in rows)
    return sum(points != up - down for points, up, down in tallies)


def _draft(
    plan: Plan,
    row: Row,
    ids: Mapping[str, int],
    voters: tuple[int, ...],
    groups: tuple[Group, ...],
) -> Draft:
    draft = Draft(
        origin=plan.options.origin(row),
        author_id=ids[_author(plan, row.author)],
        kind=row.kind,
        title=row.title,
        url=row.url,
        body=row.body,
        posted_at=row.posted_at,
        groups=groups,
    )
    if plan.options.votes is None:
        return replace(draft, starting_points=row.points - draft.up)
    return replace(draft, votes=_votes(draft, *tally(row.points, plan.options.votes), voters))


def _votes(draft: Draft, up: int, down: int, voters: Sequence[int]) -> tuple[Cast, ...]:
    return draw(
        draft.origin,
        author_id=draft.author_id,
        posted_at=draft.posted_at,
        up=up,
        down=down,
        people=voters,
    )


def _people(plan: Plan) -> dict[str, int]:
    """Create the missing accounts of authors and voters, and return the ids of all of them.

    With votes, voters who aren't authors in the file are invented: only as many as the post with
    the most votes needs.
    """
    source = plan.options.source
    joined: dict[str, int] = {}
    for row in plan.rows:
        joined.setdefault(row.author, row.posted_at)
    authors = [Stranger(_author(plan, name), name, at) for name, at in joined.items()]
    most = plan.options.votes
    voters = 0 if most is None else max(sum(tally(row.points, most)) for row in plan.rows)
    others = [
        Stranger(f"{source}#{number}", f"{source}-reader-{number}", plan.rows[0].posted_at)
        for number in range(1, voters - len(authors) + 1)
    ]
    return people.ensure([*authors, *others])


def _author(plan: Plan, name: str) -> str:
    return f"{plan.options.source}:{name}"


def _groups(plan: Plan) -> dict[Row, tuple[Group, ...]]:
    slugs = choose_slugs(plan.rows)
    titles = {group.slug: group.title for row in plan.rows for group in row.groups}
    unique = sorted({slug for chosen in slugs.values() for slug in chosen})
    current = {slug: directory.current(slug) for slug in unique}
    groups = ensure_groups([new_group(current[slug], titles.get(slug)) for slug in unique])
    return {
        row: tuple(dict.fromkeys(groups[current[slug]] for slug in chosen))
        for row, chosen in slugs.items()
    }
