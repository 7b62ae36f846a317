"""Starting points: points that a post brings along, for example those that it had on another site.

They count for a post's score and rank. But nobody on this site cast them as votes, so they don't
count for karma, leaderboards or likes. The ledger in SQL has an entry for each change of them.
`Post.starting_points` is the sum of a post's entries.
"""

from collections.abc import Collection, Iterable

from django.db.models import Sum

from forum.models import LedgerEntry, ModAction, Post

IMPORTED, MERGED = "import", "merge"
"""Where starting points come from, in the column `generation` of their ledger entries."""


def record(posts: Iterable[Post]) -> None:
    """Write ledger entries for the starting points of new posts."""
    started = (post for post in posts if post.starting_points)
    LedgerEntry.objects.bulk_create(
        [_entry(post, post.starting_points, IMPORTED, f"{post.pk}") for post in started]
    )


def unite(action: ModAction, source: Post, target: Post) -> None:
    """Add the starting points of the merged post `source` to those of `target`; may be repeated.

    `recount_posts` then updates `target`.
    """
    if source.starting_points:
        added = _entry(target, source.starting_points, MERGED, f"{action.pk}")
        LedgerEntry.objects.bulk_create([added], ignore_conflicts=True)


def separate(action: ModAction, target: Post) -> None:
    """Take back what `unite` added to `target`; may be repeated.

    `recount_posts` then updates `target`.
    """
    for added in LedgerEntry.objects.filter(generation=MERGED, shard=0, entry=f"{action.pk}"):
        taken = _entry(target, -(added.points or 0), MERGED, f"{action.pk}:undone")
        LedgerEntry.objects.bulk_create([taken], ignore_conflicts=True)


def sums(post_ids: Collection[int]) -> dict[int, int]:
    """Map ids of posts to their starting points by the ledger; leave out posts without entries."""
    entries = LedgerEntry.objects.filter(post_id__in=post_ids, points__isnull=False)
    return dict(entries.values_list("post_id").annotate(Sum("points")))


def _entry(post: Post, points: int, source: str, entry: str) -> LedgerEntry:
    return LedgerEntry(
        kind=LedgerEntry.Kind.START,
        user_id=0,
        post_id=post.pk,
        vote=0,
        points=points,
        at=post.created_at,
        generation=source,
        shard=0,
        entry=entry,
    )
