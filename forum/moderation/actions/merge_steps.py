"""The worker's part of merging two posts, and of undoing a merge: many small steps.

During all steps, nobody can vote or comment on the merged post, `source`. Each step is one
transaction and may be repeated. A step ends by writing an outbox row for the next step. So no lock
is held for long, even if thousands of comments are merged, and the worker can do other work.

Votes on the two posts move only in SQL (`forum.ledger.merged_votes`). At the end, the worker loads
the votes of the remaining post, `target`, from SQL into Redis.

A moved comment gets a new Redis key. So each comment moves in three stages:

1. The worker removes the comment from Redis, which stops new votes, and copies its votes to SQL.
2. The worker moves the comment and its votes in SQL, unless the comment has changed since stage 1.
3. An outbox row makes the worker load the comment from SQL into Redis, under its new post.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from django.db import transaction
from django.db.models import F, QuerySet

from forum.actions import queue_items, retention, visibility, watches
from forum.ledger import merged_votes, moved_votes, reloading, starting_points
from forum.ledger.archiver import archive_waiting
from forum.ledger.recount import recount_posts
from forum.models import Comment, InboxItem, ModAction, MovedComment, Post, Revision
from forum.models.mod_action import MERGED_VOTES_TO
from forum.store import outbox, post_sync
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from voting.types import Target

COMMENTS = 100
"""The most comments that one step moves."""
Step = Callable[[ModAction, Post, Post], bool]
"""A function that does part of a merge. It returns True if the worker must call it again.

Its arguments are the merge action, the merged post and the remaining post.
"""


@dataclass(frozen=True)
class PostMergeSync(outbox.Sync):
    """Outbox row that makes the worker do the next step of a merge, or of undoing a merge."""

    kind = "post_merge"
    in_background = True
    action_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do one step of each merge, and write an outbox row if steps remain."""
        for one in dict.fromkeys(syncs):
            if _step(one.action_id):
                outbox.write(one)


class _Reversed(Exception):
    """Raised if a moderator has undone the merge since the current step began."""


def is_done(action: ModAction) -> bool:
    """Return whether a merge, or the undoing of a merge, is complete."""
    return bool(action.details.get("done"))


def _step(action_id: int) -> bool:
    """Do the next step of a merge. Return whether steps remain.

    Raises StoreUnavailable if Redis is unavailable.
    """
    action = ModAction.objects.select_related("post__merged_into").get(pk=action_id)
    source = action.post
    target = source.merged_into if source else None
    if source is None or target is None or source.withheld_by_id != action.pk or is_done(action):
        return False
    post_sync.deliver([source.pk])  # from now on, nobody can vote on the source
    archive_waiting()
    steps = MERGING if action.undone_at is None else SEPARATING
    try:
        return any(step(action, source, target) for step in steps)
    except _Reversed:
        return True


def _lock_and_reload(action: ModAction, source: Post, target: Post) -> None:
    """Lock a merge action and both posts, and read all three from SQL again.

    Raises _Reversed if a moderator has undone the merge since the action was read.
    """
    merged_votes.stop_archiving([source.pk, target.pk])
    current = ModAction.objects.locked(action.pk)
    if current.undone_at != action.undone_at:
        raise _Reversed
    action.details = current.details
    Post.objects.lock([source.pk, target.pk])
    source.refresh_from_db()
    target.refresh_from_db()


def _note(action: ModAction, **details: object) -> None:
    action.details = action.details | details
    action.save(update_fields=["details"])


# Merging


@transaction.atomic
def _unite_votes(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    last = merged_votes.unite(source, target, action.details.get(MERGED_VOTES_TO, 0))
    if last is None:
        return False
    _note(action, **{MERGED_VOTES_TO: last})
    return True


@transaction.atomic
def _unite_starting_points(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    starting_points.unite(action, source, target)
    return False


@transaction.atomic
def _unite_watches(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    last = watches.unite(source, target, action.details.get("watched_to", 0))
    if last is None:
        return False
    _note(action, watched_to=last)
    return True


def _bring_comments(action: ModAction, source: Post, target: Post) -> bool:
    found = Comment.objects.filter(post=source)
    return _move(action, found, source, target, keep=True)


@transaction.atomic
def _unite_answers(action: ModAction, source: Post, target: Post) -> bool:
    """Make the accepted answer of `source` the accepted answer of `target`.

    If `target` already has an accepted answer, that answer stays.
    """
    _lock_and_reload(action, source, target)
    accepted = source.accepted
    if accepted and not accepted.deleted_at and not action.details.get("keeps_answer"):
        target.accepted = target.accepted or accepted
    visibility.recount_thread(target)
    return False


@transaction.atomic
def _save_author_vote(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    merged_votes.save_author_vote(source, target)
    return False


def _reload(_action: ModAction, _source: Post, target: Post) -> bool:
    """Load the votes on the post `target` from SQL into Redis.

    Return True if this must be repeated, because Redis has newer votes on the post than SQL.
    """
    recount_posts([target.pk])
    _reloaded, skipped = reloading.reload_posts([Target(target.pk)])
    get_voting_service().maintenance.loading.forget_votes([Target(target.pk)])
    return bool(skipped)


@transaction.atomic
def _end(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    _note(action, done=True)
    return False


MERGING: tuple[Step, ...] = (
    _unite_votes,
    _bring_comments,
    _unite_watches,
    _unite_answers,
    _unite_starting_points,
    _save_author_vote,
    _reload,
    _end,
)


# Undoing a merge


@transaction.atomic
def _separate_votes(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    last = merged_votes.separate(source, target, action.details.get(MERGED_VOTES_TO, 0))
    if last is None:
        return False
    _note(action, **{MERGED_VOTES_TO: last - 1})
    return True


@transaction.atomic
def _separate_starting_points(action: ModAction, source: Post, target: Post) -> bool:
    _lock_and_reload(action, source, target)
    starting_points.separate(action, target)
    return False


def _return_comments(action: ModAction, source: Post, target: Post) -> bool:
    moved = MovedComment.objects.filter(action=action).values("comment")
    return _move(action, Comment.objects.filter(pk__in=moved), target, source, keep=False)


def _return_replies(action: ModAction, source: Post, target: Post) -> bool:
    """Move back to the source post the replies whose parent comments have moved back.

    Returns True if more replies may have to be moved.
    """
    replies = Comment.objects.filter(post=target, parent__post=source)
    return _move(action, replies, target, source, keep=False)


@transaction.atomic
def _release(action: ModAction, source: Post, target: Post) -> bool:
    """Do the last step of undoing a merge: show the source post as it was before.

    If its text was deleted for good meanwhile, the post stays deleted.
    """
    _lock_and_reload(action, source, target)
    watches.separate(source, target)
    for other in Post.objects.filter(merged_into=target).exclude(pk=source.pk):
        watches.unite(other, target, 0)
    source.merged_into = None
    source.save(update_fields=["merged_into"])
    merged_votes.count_author(source, target, counts=True)
    _check_answer(source)
    visibility.recount_thread(source)
    visibility.recount_thread(target)
    _note(action, done=True)
    if retention.is_purged(source):
        Post.objects.filter(pk=source.pk).update(withheld="", withheld_by=None)
    else:
        visibility.release(source)
    return False


def _check_answer(source: Post) -> None:
    """Clear a question's accepted answer if the answer is now on another post or invisible.

    If a moderation action made the answer invisible, undoing the action accepts the answer again.
    """
    accepted = source.accepted
    if accepted and (accepted.post_id != source.pk or accepted.deleted_at):
        source.accepted = None
        withheld_by = accepted.withheld_by
        if withheld_by and accepted.post_id == source.pk:
            withheld_by.details = withheld_by.details | {"accepted": True}
            withheld_by.save(update_fields=["details"])


SEPARATING: tuple[Step, ...] = (
    _separate_votes,
    _return_comments,
    _return_replies,
    _separate_starting_points,
    _save_author_vote,
    _reload,
    _release,
)


# Comments


def _move(action: ModAction, found: QuerySet[Comment], old: Post, new: Post, *, keep: bool) -> bool:
    """Move the next batch of comments from the post `old` to the post `new`.

    Returns False if there were no comments to move. If `keep` is True, records which comments
    moved, so that undoing the merge can move them back.
    """
    rows = found.order_by("pk").values_list("pk", "version", "deleted_at")[:COMMENTS]
    versions = {pk: version for pk, version, _ in rows}
    if not versions:
        return False
    service = get_voting_service()
    for pk, version, deleted_at in rows:
        if deleted_at is None:
            service.comments.retract(old.pk, pk, version + 1)
    archive_waiting()
    service.maintenance.loading.forget_votes([Target(old.pk, pk) for pk in versions])
    _move_rows(action, versions, old, new, keep=keep)
    return True


@transaction.atomic
def _move_rows(
    action: ModAction, versions: dict[int, int], old: Post, new: Post, *, keep: bool
) -> None:
    """Move comments from one post to another in SQL, with votes, revisions and inbox items.

    `versions` maps the ids of the comments to the versions that were read earlier. Comments whose
    version has changed since then don't move.
    """
    _lock_and_reload(action, old, new)
    locked = Comment.objects.select_for_update(no_key=True).filter(pk__in=versions, post=old)
    current = locked.order_by("pk").values_list("pk", "version")
    ids = [pk for pk, version in current if versions[pk] == version]
    moved_votes.move(ids, old.pk, new.pk)
    comments = Comment.objects.filter(pk__in=ids)
    comments.update(post=new, version=F("version") + 2)  # higher than the retracted version
    Revision.objects.filter(comment__in=ids).update(post=new)
    InboxItem.objects.filter(comment__in=ids).update(post=new)
    if keep:
        MovedComment.objects.bulk_create(MovedComment(action=action, comment_id=pk) for pk in ids)
    else:
        MovedComment.objects.filter(action=action, comment__in=ids).delete()
    for post in (old, new):
        visibility.recount_thread(post)
    queue_items.move(new)
    outbox.add(*(PostSync(new.pk, pk) for pk in ids))
