"""Brings single posts and comments in Redis up to SQL, on a live site and without closing it.

A target is replaced only where SQL has its last change; where somebody votes meanwhile it is tried
again. So a vote that Redis has and SQL not yet is never lost.
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
from forum.operations.repair.scope import Chosen, Scope
from forum.operations.repair.stray_entries import take_back, unlist_strays
from forum.queries.batches import batches, each, each_pk
from voting.types import Target

ATTEMPTS = 20
"""How often a target is tried on which people vote all the time."""

Reload = Callable[[Sequence[Target], dict[Target, str]], set[Target]]
Progress = Callable[[int], object]
"""Hears how many more posts are done; 0 where it was comments. What it raises ends the work."""

log = structlog.get_logger()


def reload(scope: Scope, progress: Progress | None = None) -> tuple[int, int]:
    """Put posts and comments into Redis as SQL has them; return how many, and how many stayed
    because people voted on them all the while. What SQL has deleted is taken back where Redis shows
    it, and counted anew all the same: it may come again. Raises StoreUnavailable.
    """
    done = reload_posts(scope, progress)
    shown = each(scope.comments().visible().on_visible_posts(), "post_id")
    comments = (Target(post_id, pk) for pk, post_id in shown)
    more = _reload(comments, _reload_comments, without_number(progress))
    _take_back(scope)
    return done[0] + more[0], done[1] + more[1]


def reload_posts(scope: Scope, progress: Progress | None = None) -> tuple[int, int]:
    """The same for posts that are shown alone, without their comments."""
    posts = map(Target, each_pk(scope.posts().visible()))
    return _reload(posts, _reload_posts, progress)


def without_number(progress: Progress | None) -> Progress | None:
    """Return what hears that something was done, and not how much of what it counts."""
    return None if progress is None else lambda _more: progress(0)


def repair(scope: Scope, *, deep: bool = False) -> tuple[int, int]:
    """Reload what differs, with votes counted anew from the archive; return what `reload` does.

    `deep`: also what the archive counts and its ledger does not make.
    """
    found = chain(check.found(scope), replay.found(scope) if deep else ())
    wrong = list(dict.fromkeys(target for target, _ in found))
    if None in wrong:
        unlist_strays()
    _take_back(scope)
    posts = (one.post_id for one in wrong if one and not one.comment_id)
    shown = chain.from_iterable(map(_without_hidden, batches(posts)))
    done = _reload(map(Target, shown), _reload_posts)
    more = _reload((one for one in wrong if one and one.comment_id), _reload_comments)
    return done[0] + more[0], done[1] + more[1]


def _without_hidden(post_ids: Sequence[int]) -> list[int]:
    """Take back those posts that SQL does not show; return the others."""
    shown = set(Post.objects.visible().filter(pk__in=post_ids).values_list("pk", flat=True))
    hidden = [pk for pk in post_ids if pk not in shown]
    recount_posts(hidden)
    take_back(hidden)
    return sorted(shown)


def reload_missing_voters() -> int:
    """Load anew what people could not vote on, since Redis had its votes and not who cast them;
    return how much. For the worker. Raises StoreUnavailable. One round trip where there is nothing.
    """
    targets = get_voting_service().maintenance.loading.missing_voters()
    for some in batches(targets):
        posts = frozenset(one.post_id for one in some if not one.comment_id)
        comments = frozenset(one.comment_id for one in some if one.comment_id)
        reload(Chosen(post_ids=posts, comment_ids=comments))
        get_voting_service().maintenance.loading.clear_missing_voters(some)
        if get_voting_service().maintenance.generations.has_current_rules(vote_value.weight()):
            log.warning("voters were gone from Redis: is its clock right?", targets=some)
        else:
            log.info("loaded voters where a longer VOTING_WINDOW may let people vote", targets=some)
    return len(targets)


def _take_back(scope: Scope) -> None:
    """Close what SQL has deleted and Redis shows. Some round trips for 500, and one for each."""
    for some in batches(each(scope.posts().deleted(), "version")):
        _take_posts_back(dict(some))
    comments = scope.comments().deleted().on_visible_posts()
    for chosen in batches(each(comments, "post_id", "version")):
        _take_comments_back({Target(post_id, pk): version for pk, post_id, version in chosen})


def _take_posts_back(versions: Mapping[int, int]) -> None:
    recount_posts(list(versions))
    for pk, held in get_voting_service().maintenance.inspection.posts(list(versions)).items():
        if not held.gone:
            get_voting_service().posts.retract(pk, versions[pk])


def _take_comments_back(versions: Mapping[Target, int]) -> None:
    for on, held in get_voting_service().maintenance.inspection.comments(list(versions)).items():
        if not held.gone:
            get_voting_service().comments.retract(on.post_id, on.comment_id, versions[on])


def _reload(
    targets: Iterable[Target], step: Reload, progress: Progress | None = None
) -> tuple[int, int]:
    """Reload batches; what changes meanwhile is tried again."""
    done = stayed = 0
    for some in batches(targets):
        waiting = some
        for _ in range(ATTEMPTS):
            waiting = _attempt(waiting, step)
            if not waiting:
                break
        done, stayed = done + len(some) - len(waiting), stayed + len(waiting)
        if waiting:
            log.warning("people vote on these all the while", targets=waiting)
        if progress is not None:
            progress(len(some))
    return done, stayed


def _attempt(targets: list[Target], step: Reload) -> list[Target]:
    """Reload targets; return those that must be tried again. What each has changed last is read
    before the archive is brought up to date, and compared by the step that replaces it.
    """
    last = get_voting_service().maintenance.loading.last_changes(targets)
    archive_waiting()
    done = step(targets, last)
    return [target for target in targets if target not in done]


def _reload_posts(targets: Sequence[Target], last: dict[Target, str]) -> set[Target]:
    ids = [target.post_id for target in targets]
    recount_posts(ids)
    shown = Post.objects.visible().filter(pk__in=ids)
    changed = {one.post_id: entry for one, entry in last.items()}
    done = get_voting_service().maintenance.loading.reload_posts(records(shown), changed)
    gone = set(ids).difference(shown.values_list("pk", flat=True))
    return set(map(Target, done | gone))


def _reload_comments(targets: Sequence[Target], last: dict[Target, str]) -> set[Target]:
    ids = [target.comment_id for target in targets]
    recount_comments(ids)
    shown = Comment.objects.visible().filter(pk__in=ids)
    done = get_voting_service().maintenance.loading.reload_comments(
        comment_records.records(shown), last
    )
    gone = set(ids).difference(shown.values_list("pk", flat=True))
    return done | {target for target in targets if target.comment_id in gone}
