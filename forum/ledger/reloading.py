"""Loads posts and comments from SQL into Redis again, while people vote.

Replaces a post or comment in Redis only if SQL already has all votes on it. So no vote is lost.
"""

from collections.abc import Callable, Iterable, Sequence

import structlog

from forum.ledger.archiver import archive_waiting
from forum.ledger.recount import recount_comments, recount_posts
from forum.models import Comment, Post
from forum.queries.batches import batches
from forum.store import comment_records
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from voting.types import Target

ATTEMPTS = 20
"""How many times to try to load a post or comment while people keep voting on it."""

Counts = tuple[int, int]
"""How many targets were loaded, and how many were skipped because people kept voting on them."""
Reload = Callable[[Sequence[Target], dict[Target, str]], set[Target]]
Progress = Callable[[int], object]
"""A function that is called with the number of targets handled since the last call.

It may raise an exception to stop the work.
"""

log = structlog.get_logger()


def reload_posts(targets: Iterable[Target], progress: Progress | None = None) -> Counts:
    """Load visible posts from SQL into Redis, with recounted votes. Raises StoreUnavailable."""
    return _reload(targets, _reload_posts, progress)


def reload_comments(targets: Iterable[Target], progress: Progress | None = None) -> Counts:
    """Load visible comments from SQL into Redis, with recounted votes. Raises StoreUnavailable."""
    return _reload(targets, _reload_comments, progress)


def _reload(targets: Iterable[Target], step: Reload, progress: Progress | None) -> Counts:
    """Load posts or comments from SQL into Redis; if one gets a vote meanwhile, load it again."""
    reloaded = skipped = 0
    for batch in batches(targets):
        remaining = batch
        for _ in range(ATTEMPTS):
            remaining = _attempt(remaining, step)
            if not remaining:
                break
        reloaded += len(batch) - len(remaining)
        skipped += len(remaining)
        if remaining:
            log.warning("not reloaded, since people vote on them all the time", targets=remaining)
        if progress is not None:
            progress(len(batch))
    return reloaded, skipped


def _attempt(targets: list[Target], step: Reload) -> list[Target]:
    """Load posts or comments from SQL into Redis; return those that weren't loaded.

    First notes the last vote on each post or comment, and archives all votes. Then loads only the
    posts or comments that got no new votes meanwhile.
    """
    last = get_voting_service().maintenance.loading.last_changes(targets)
    archive_waiting()
    reloaded = step(targets, last)
    return [target for target in targets if target not in reloaded]


def _reload_posts(targets: Sequence[Target], last: dict[Target, str]) -> set[Target]:
    ids = [target.post_id for target in targets]
    recount_posts(ids)
    visible = Post.objects.visible().filter(pk__in=ids)
    changes = {target.post_id: entry for target, entry in last.items()}
    reloaded = get_voting_service().maintenance.loading.reload_posts(
        read_post_records(visible), changes
    )
    hidden = set(ids).difference(visible.values_list("pk", flat=True))
    return set(map(Target, reloaded | hidden))


def _reload_comments(targets: Sequence[Target], last: dict[Target, str]) -> set[Target]:
    ids = [target.comment_id for target in targets]
    recount_comments(ids)
    visible = Comment.objects.visible().filter(pk__in=ids)
    reloaded = get_voting_service().maintenance.loading.reload_comments(
        comment_records.read_comment_records(visible), last
    )
    hidden = set(ids).difference(visible.values_list("pk", flat=True))
    return reloaded | {target for target in targets if target.comment_id in hidden}
