"""Rebuilds Redis from SQL without losing votes that only Redis has.

People can usually vote during a rebuild, because it replaces posts one by one. At the end it
removes posts that SQL doesn't have. Building a second copy of the rankings and then swapping it in
would lose votes that people cast during the rebuild, and almost double the memory that Redis uses.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import Event
from typing import TypeVar

import structlog

from forum.actions import ties, unread
from forum.ledger import activity, counters, cursors, vote_value
from forum.ledger.archiver import archive_rest
from forum.ledger.recount import recount_all
from forum.ledger.reloading import Progress
from forum.models import Comment, Post
from forum.operations.repair.rebuild_lease import LeaseTaken, rebuild_lease
from forum.operations.repair.repair_posts import reload, reload_posts, without_number
from forum.operations.repair.scope import WHOLE, Scope, ShardScope
from forum.operations.repair.stray_entries import remove_stray_posts, remove_stray_ties
from forum.store import comment_records
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from voting.errors import StoreEmpty
from voting.types import PostRecord
from voting.types.comments import CommentRecord

Loaded = TypeVar("Loaded", PostRecord, CommentRecord)

log = structlog.get_logger()


def ensure_filled(stopping: Event | None = None, progress: Progress | None = None) -> bool:
    """Fill Redis from SQL if Redis is empty; return whether it was empty.

    If several processes call this at once, one fills Redis and the others wait. Raises
    StoreUnavailable if Redis is down, or if `stopping` is set while waiting.
    """
    if _is_open():
        return False
    with rebuild_lease(stopping) as holder:
        if _is_open():
            return False
        _fill(holder, progress)
    return True


def ensure_scored(stopping: Event | None = None, progress: Progress | None = None) -> bool:
    """Compute the scores of all posts again if the voting rules or the vote value have changed.

    The vote value is how many seconds one vote adds to a score. Returns whether anything had
    changed. People can vote meanwhile. If several workers call this at once, one computes the
    scores and the others wait. Raises StoreUnavailable.
    """
    if _scores_fit():
        return False
    with rebuild_lease(stopping):
        if _scores_fit():
            return False
        _rebuild_live(progress)
    return True


def rebuild(progress: Progress | None = None) -> int:
    """Rebuild Redis from SQL and return the number of posts. Raises StoreUnavailable.

    People can vote meanwhile, unless Redis is empty.
    """
    with rebuild_lease() as holder:
        return _rebuild_live(progress) if _is_open() else _fill(holder, progress)


def refill() -> int:
    """Archive all votes, empty Redis and fill it from SQL; return the number of posts.

    People can't vote meanwhile. Raises StoreUnavailable.
    """
    with rebuild_lease() as holder:
        return _fill(holder)


def restore_forgotten(behind: Mapping[int, int], progress: Progress | None = None) -> None:
    """Load data from SQL that Redis lost when it restarted.

    `behind` maps the number of each shard that lost data to how often this happened. Loads the
    posts and comments of these shards, and all data that isn't in shards, such as follows. People
    can vote meanwhile. Does nothing if another process is rebuilding Redis. Raises
    StoreUnavailable.
    """
    with suppress(LeaseTaken), rebuild_lease(wait=False):
        _reload_all(ShardScope(shards=frozenset(behind)), progress)
        cursors.caught_up(behind)
        log.info("reloaded what Redis had lost", shards=sorted(behind))


def fill_the_rest() -> None:
    """Load everything except posts and comments from SQL into Redis. Raises StoreUnavailable."""
    ties.fill()
    unread.fill()
    counters.fill()
    activity.load()


def _scores_fit() -> bool:
    return get_voting_service().maintenance.generations.has_current_rules(vote_value.weight())


def _is_open() -> bool:
    with suppress(StoreEmpty):
        return bool(get_voting_service().maintenance.generations.current())
    return False


def _rebuild_live(progress: Progress | None) -> int:
    """Rebuild Redis from SQL while people vote, and return the number of posts."""
    posts, service = 0, get_voting_service()
    generations = service.maintenance.generations

    def count(more: int) -> None:
        nonlocal posts
        posts += more
        if progress is not None:
            progress(more)

    weight = vote_value.weight()
    fitted = generations.has_current_rules(weight)
    if not fitted:
        generations.set_vote_seconds(weight)  # first, for votes cast meanwhile
    skipped = _reload_all(WHOLE, count)
    if not fitted and posts > service.rules.ranking_limit:
        # Full rankings dropped posts that ranked low by the earlier rules: load them again.
        reload_posts(WHOLE, without_number(progress))
    generations.record_rules(weight)
    log.info("rebuilt Redis from SQL", posts=posts, voted_on_all_the_while=skipped)
    return posts


def _reload_all(scope: Scope, progress: Progress | None = None) -> int:
    """Load posts and comments, and then all other data, from SQL into Redis.

    `scope` chooses the posts and comments. Also removes data from Redis that SQL doesn't have.
    Returns how many posts and comments were skipped because people kept voting on them.
    """
    _reloaded, skipped = reload(scope, progress)
    remove_stray_posts()
    fill_the_rest()
    remove_stray_ties()
    return skipped


def _fill(holder: str, progress: Progress | None = None) -> int:
    """Stop voting, archive all votes, empty Redis and fill it from SQL.

    Raises LeaseTaken if another process filled Redis while this process was suspended. Emptying
    Redis again would lose the votes that people have cast since.
    """
    service = get_voting_service()
    generations = service.maintenance.generations

    def require_lease() -> None:
        if not service.maintenance.ledger.take_rebuild_lease(holder) or _is_open():
            raise LeaseTaken("this process was suspended, and another rebuilds Redis")

    _close()
    weight = vote_value.weight()
    recount_all(without_number(progress))
    generations.clear(require_lease)
    generations.set_vote_seconds(weight)
    posts = service.maintenance.loading.load_posts(
        _counted(read_post_records(Post.objects.visible()), progress), filling=True
    )
    comments = comment_records.read_comment_records(Comment.objects.visible())
    service.maintenance.loading.load_comments(
        _counted(comments, without_number(progress)), filling=True
    )
    fill_the_rest()
    require_lease()
    generations.open(weight)
    log.info("filled Redis from SQL", posts=posts)
    return posts


def _close() -> None:
    """Close voting, then archive what only Redis has: votes, views and days of activity."""
    ended = get_voting_service().maintenance.generations.close()
    for generation in set(ended.values()):
        archive_rest(generation, [shard for shard, mark in ended.items() if mark == generation])
    if ended:
        counters.archive_views()
        activity.archive_recent()


def _counted(records: Iterator[Loaded], progress: Progress | None) -> Iterator[Loaded]:
    for record in records:
        if progress is not None:
            progress(1)
        yield record
