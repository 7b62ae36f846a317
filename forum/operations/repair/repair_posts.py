"""Bring posts and comments in Redis up to date with SQL while people vote.

A target is replaced only if SQL has its last vote, and tried again if somebody votes meanwhile. So
a vote that is in Redis and not yet in SQL is never lost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

import structlog

from forum.gateway import comment_records
from forum.gateway.post_records import records
from forum.gateway.service import get_voting_service
from forum.ledger import vote_value
from forum.models import Comment, Post
from forum.operations.repair import check, replay
from forum.operations.repair.reconcile import archive_waiting
from forum.operations.repair.recount import recount_comments, recount_posts
from forum.operations.repair.scope import ListScope, Scope
from forum.operations.repair.stray_entries import remove_stray_posts, retract_hidden
from forum.queries.batches import batches, each, each_pk
from voting.types import Target

ATTEMPTS = 20
"""How often a target is tried if people keep voting on it."""

Counts = tuple[int, int]
"""How many targets were reloaded, and how many were skipped since people kept voting on them."""
Reload = Callable[[Sequence[Target], dict[Target, str]], set[Target]]
Progress = Callable[[int], object]
"""A function that is called with the number of posts reloaded since its last call; 0 for comments.

It may raise an exception to end the work.
"""

log = structlog.get_logger()


def reload(scope: Scope, progress: Progress | None = None) -> Counts:
    """Reload posts and comments from SQL, with their votes counted again; retract deleted ones.

    Raises StoreUnavailable.
    """
    posts = reload_posts(scope, progress)
    rows = each(scope.comments().visible().on_visible_posts(), "post_id")
    targets = (Target(post_id, pk) for pk, post_id in rows)
    comments = _reload(targets, _reload_comments, without_number(progress))
    _retract_deleted(scope)
    return _sum(posts, comments)


def reload_posts(scope: Scope, progress: Progress | None = None) -> Counts:
    """Reload visible posts, without their comments. Raises StoreUnavailable."""
    targets = map(Target, each_pk(scope.posts().visible()))
    return _reload(targets, _reload_posts, progress)


def without_number(progress: Progress | None) -> Progress | None:
    """Return a progress callback that passes 0 instead of the number of posts to `progress`."""
    return None if progress is None else lambda _more: progress(0)


def repair(scope: Scope, *, deep: bool = False) -> Counts:
    """Reload from SQL the posts and comments that differ, with their votes counted again.

    With `deep`, also those whose votes in SQL differ from the ledger. Raises StoreUnavailable.
    """
    differing = chain(
        check.targets_that_differ(scope), replay.targets_that_differ(scope) if deep else ()
    )
    wrong = list(dict.fromkeys(target for target, _ in differing))
    if None in wrong:
        remove_stray_posts()
    _retract_deleted(scope)
    post_ids = (target.post_id for target in wrong if target and not target.comment_id)
    visible = chain.from_iterable(map(_without_hidden, batches(post_ids)))
    posts = _reload(map(Target, visible), _reload_posts)
    targets = (target for target in wrong if target and target.comment_id)
    return _sum(posts, _reload(targets, _reload_comments))


def reload_missing_voters() -> int:
    """Reload posts and comments whose voter sets are missing, and return how many.

    For the worker. One round trip if there are none. Raises StoreUnavailable.
    """
    maintenance = get_voting_service().maintenance
    missing = maintenance.loading.missing_voters()
    for targets in batches(missing):
        posts = frozenset(target.post_id for target in targets if not target.comment_id)
        comments = frozenset(target.comment_id for target in targets if target.comment_id)
        reload(ListScope(post_ids=posts, comment_ids=comments))
        maintenance.loading.clear_missing_voters(targets)
        if maintenance.generations.has_current_rules(vote_value.weight()):
            log.warning("voters were missing in Redis: is its clock right?", targets=targets)
        else:
            log.info("loaded voters after VOTING_WINDOW became longer", targets=targets)
    return len(missing)


def _sum(posts: Counts, comments: Counts) -> Counts:
    return posts[0] + comments[0], posts[1] + comments[1]


def _without_hidden(post_ids: Sequence[int]) -> list[int]:
    """Return the ids of posts that aren't deleted in SQL; retract the others from Redis."""
    visible = set(Post.objects.visible().filter(pk__in=post_ids).values_list("pk", flat=True))
    hidden = [pk for pk in post_ids if pk not in visible]
    recount_posts(hidden)
    retract_hidden(hidden)
    return sorted(visible)


def _retract_deleted(scope: Scope) -> None:
    """Retract posts and comments that SQL has deleted and Redis shows.

    Also count their votes again, since they may be restored. A few round trips per 500 posts or
    comments, and one for each that is retracted.
    """
    for posts in batches(each(scope.posts().deleted(), "version")):
        _retract_posts(dict(posts))
    deleted = scope.comments().deleted().on_visible_posts()
    for comments in batches(each(deleted, "post_id", "version")):
        _retract_comments({Target(post_id, pk): version for pk, post_id, version in comments})


def _retract_posts(versions: Mapping[int, int]) -> None:
    recount_posts(list(versions))
    service = get_voting_service()
    for post_id, inspected in service.maintenance.inspection.posts(list(versions)).items():
        if not inspected.retracted:
            service.posts.retract(post_id, versions[post_id])


def _retract_comments(versions: Mapping[Target, int]) -> None:
    service = get_voting_service()
    for target, inspected in service.maintenance.inspection.comments(list(versions)).items():
        if not inspected.retracted:
            service.comments.retract(target.post_id, target.comment_id, versions[target])


def _reload(targets: Iterable[Target], step: Reload, progress: Progress | None = None) -> Counts:
    """Reload targets in batches; try those again that people voted on during the reload."""
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
    """Reload targets; return those that must be tried again because people voted on them.

    Their last changes are read before the waiting votes are archived. The script that replaces a
    target compares them.
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
    reloaded = get_voting_service().maintenance.loading.reload_posts(records(visible), changes)
    hidden = set(ids).difference(visible.values_list("pk", flat=True))
    return set(map(Target, reloaded | hidden))


def _reload_comments(targets: Sequence[Target], last: dict[Target, str]) -> set[Target]:
    ids = [target.comment_id for target in targets]
    recount_comments(ids)
    visible = Comment.objects.visible().filter(pk__in=ids)
    reloaded = get_voting_service().maintenance.loading.reload_comments(
        comment_records.records(visible), last
    )
    hidden = set(ids).difference(visible.values_list("pk", flat=True))
    return reloaded | {target for target in targets if target.comment_id in hidden}
