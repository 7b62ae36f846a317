"""Repairs posts and comments in Redis while people vote.

Loads visible posts and comments from SQL into Redis, and hides deleted ones in Redis.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import structlog

from forum.ledger import reloading, vote_value
from forum.ledger.recount import recount_posts
from forum.ledger.reloading import Counts, Progress
from forum.models import Post
from forum.operations.repair import check, replay
from forum.operations.repair.scope import ListScope, Scope
from forum.operations.repair.stray_entries import remove_stray_posts, retract_hidden
from forum.queries.batches import batches, each, each_pk
from forum.store.service import get_voting_service
from voting.types import Target

log = structlog.get_logger()


def reload(scope: Scope, progress: Progress | None = None) -> Counts:
    """Load visible posts and comments from SQL into Redis; hide deleted ones in Redis.

    Recounts votes. Returns how many were loaded, and how many were skipped because people kept
    voting on them. Raises StoreUnavailable.
    """
    posts = reload_posts(scope, progress)
    rows = each(scope.comments().visible().on_visible_posts(), "post_id")
    targets = (Target(post_id, pk) for pk, post_id in rows)
    comments = reloading.reload_comments(targets, without_number(progress))
    _retract_deleted(scope)
    return _sum(posts, comments)


def reload_posts(scope: Scope, progress: Progress | None = None) -> Counts:
    """Load visible posts from SQL into Redis, without comments. Raises StoreUnavailable."""
    targets = map(Target, each_pk(scope.posts().visible()))
    return reloading.reload_posts(targets, progress)


def without_number(progress: Progress | None) -> Progress | None:
    """Return a callback that calls `progress` with 0, so that the progress bar doesn't advance."""
    return None if progress is None else lambda _more: progress(0)


def repair(scope: Scope, *, deep: bool = False) -> Counts:
    """Reload into Redis the posts and comments that differ from SQL, and recount their votes.

    Returns how many were loaded, and how many were skipped because people kept voting on them.
    `deep`: also repair posts and comments whose votes in SQL differ from the ledger. Raises
    StoreUnavailable.
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
    posts = reloading.reload_posts(map(Target, visible))
    targets = (target for target in wrong if target and target.comment_id)
    return _sum(posts, reloading.reload_comments(targets))


def reload_missing_voters() -> int:
    """Load posts and comments from SQL if Redis doesn't know who voted on them.

    Returns how many there were. Raises StoreUnavailable.
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
    """Hide posts in Redis that aren't visible in SQL. Return the ids of the other posts."""
    visible = set(Post.objects.visible().filter(pk__in=post_ids).values_list("pk", flat=True))
    hidden = [pk for pk in post_ids if pk not in visible]
    recount_posts(hidden)
    retract_hidden(hidden)
    return sorted(visible)


def _retract_deleted(scope: Scope) -> None:
    """Hide posts and comments in Redis that are deleted in SQL.

    Also recounts the votes on deleted posts, because somebody may restore them.
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
