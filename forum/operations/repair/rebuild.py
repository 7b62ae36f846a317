"""Fills Redis anew from SQL, without losing a vote that it still holds.

On a live site rankings are not built aside and then renamed: they are most of Redis, and the rename
would undo votes cast meanwhile. Each post takes all its places in one step instead, and what SQL
does not list is taken out at the end.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from threading import Event
from typing import TypeVar

import structlog

from forum.gateway import comment_records
from forum.gateway.post_records import records
from forum.gateway.service import get_voting_service
from forum.identity import activity
from forum.inbox import unread
from forum.ledger import counters, cursors, vote_value
from forum.ledger.archiver import archive_rest
from forum.models import Comment, Post
from forum.operations.repair.rebuild_lease import Taken, only_builder
from forum.operations.repair.recount import recount_all
from forum.operations.repair.repair_posts import Progress, reload, reload_posts, without_number
from forum.operations.repair.scope import WHOLE, Scope, Sharded
from forum.operations.repair.stray_entries import unlist_strays
from forum.operations.repair.stray_ties import untie_strays
from forum.social import ties
from voting.errors import StoreEmpty
from voting.types import PostRecord
from voting.types.comments import CommentRecord

Loaded = TypeVar("Loaded", PostRecord, CommentRecord)

log = structlog.get_logger()


def ensure_filled(stopping: Event | None = None, progress: Progress | None = None) -> bool:
    """Fill Redis if it is empty; say whether that was needed. `progress` is told of posts, and may
    end the work by what it raises: whoever comes next begins again.

    Several processes may call it at once: one fills, the others wait, until `stopping` is set.
    Raises StoreUnavailable.
    """
    if _is_open():
        return False
    with only_builder(stopping) as builder:
        if _is_open():
            return False
        _rebuild(builder, progress)
    return True


def ensure_scored(stopping: Event | None = None, progress: Progress | None = None) -> bool:
    """Re-score all posts, closed ones too, if other rules made their scores or votes were worth
    something else; say whether that was needed. People vote meanwhile. For a worker that starts:
    its settings are the newest.

    Several processes may call it at once, with `progress` as in `ensure_filled`. Raises
    StoreUnavailable.
    """
    if _fits():
        return False
    with only_builder(stopping):
        if _fits():
            return False
        _rebuild_live(progress)
    return True


def rebuild(progress: Progress | None = None) -> int:
    """Fill Redis anew and return the number of posts. Raises StoreUnavailable.

    A Redis that is open is rebuilt post by post while people vote. One that is empty is closed and
    filled: votes wait with a sentence. `progress` is told of posts.
    """
    with only_builder() as builder:
        return _rebuild_live(progress) if _is_open() else _rebuild(builder, progress)


def refill() -> int:
    """Archive the votes, empty Redis and fill it from SQL; return the number of posts. For a site
    that nobody uses now. Raises StoreUnavailable.
    """
    with only_builder() as builder:
        return _rebuild(builder)


def recall(behind: Mapping[int, int], progress: Progress | None = None) -> None:
    """Load from SQL what a Redis that came back older has forgotten, while people vote on: the
    posts of these shards with comments, and what belongs to no shard. Raises StoreUnavailable.

    Nothing where somebody else fills Redis or scores it anew just now: then it is for later, and
    whoever asks has other work meanwhile.
    """
    with suppress(Taken), only_builder(at_once=True):
        _bring_back(Sharded(shards=frozenset(behind)), progress)
        cursors.caught_up(behind)
        log.info("brought back what Redis had forgotten", shards=sorted(behind))


def fill_the_rest() -> None:
    """Bring what SQL has beside posts and comments to Redis. Raises StoreUnavailable."""
    ties.fill()
    unread.fill()
    counters.fill()
    activity.load()


def _fits() -> bool:
    return get_voting_service().maintenance.generations.has_current_rules(vote_value.weight())


def _is_open() -> bool:
    with suppress(StoreEmpty):
        return bool(get_voting_service().maintenance.generations.current())
    return False


def _rebuild_live(progress: Progress | None) -> int:
    """Everything written here is absolute, or compared with what changed meanwhile."""
    done, maintenance = 0, get_voting_service().maintenance

    def count(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(more)

    weight = vote_value.weight()
    fitted = maintenance.generations.has_current_rules(weight)
    if not fitted:
        maintenance.generations.set_vote_seconds(
            weight
        )  # first, so that votes cast meanwhile count by it too
    stayed = _bring_back(WHOLE, count)
    if not fitted and done > get_voting_service().rules.ranking_limit:
        # A full list has dropped posts for others that ranked by the earlier rules until then.
        reload_posts(WHOLE, without_number(progress))
    maintenance.generations.record_rules(weight)
    log.info("rebuilt Redis from SQL", posts=done, voted_on_all_the_while=stayed)
    return done


def _bring_back(scope: Scope, progress: Progress | None = None) -> int:
    """Sync posts, comments and people; return how many posts and comments people kept voting on."""
    _loaded, stayed = reload(scope, progress)
    unlist_strays()
    fill_the_rest()
    untie_strays()
    return stayed


def _is_ours(builder: str) -> bool:
    """Say whether Redis is still as we closed it, and ours to fill. Two round trips."""
    return get_voting_service().maintenance.ledger.take_rebuild_lease(builder) and not _is_open()


def _rebuild(builder: str, progress: Progress | None = None) -> int:
    """Nobody votes between closing and opening, so what is archived after closing is all.

    Raises Taken where this process stood still (Ctrl-Z, a machine that slept) until somebody else
    did its work: people may vote again, and what they did must stay.
    """

    def require_ours() -> None:
        if not _is_ours(builder):
            raise Taken("this process stood still too long, and somebody else fills Redis")

    _close()
    weight = vote_value.weight()
    recount_all(without_number(progress))
    maintenance = get_voting_service().maintenance
    maintenance.generations.clear(require_ours)
    maintenance.generations.set_vote_seconds(weight)
    posts = Post.objects.visible()
    loaded = maintenance.loading.load_posts(_counted(records(posts), progress), filling=True)
    comments = Comment.objects.visible()
    told = _counted(comment_records.records(comments), progress, posts=0)
    get_voting_service().maintenance.loading.load_comments(told, filling=True)
    fill_the_rest()
    require_ours()
    maintenance.generations.open(weight)
    log.info("filled Redis from SQL", posts=loaded)
    return loaded


def _close() -> None:
    """What one shard lacks says nothing of the others: each is archived as what it was."""
    ended = get_voting_service().maintenance.generations.close()
    for generation in set(ended.values()):
        archive_rest(generation, [shard for shard, one in ended.items() if one == generation])
    if ended:
        counters.archive_views()
        activity.archive_recent()


def _counted(
    found: Iterator[Loaded], progress: Progress | None, posts: int = 1
) -> Iterator[Loaded]:
    for record in found:
        if progress is not None:
            progress(posts)
        yield record
