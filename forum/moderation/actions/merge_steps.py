"""The worker's part of merging two posts and of undoing that: many small steps.

The merged post (`source`) stays closed until the last step, so nobody votes or comments on it. Each
step is one transaction and may be repeated. An outbox row continues with the next one, so that a
merge of thousands of comments holds no lock for long and other work goes on between its steps.

Votes on the posts themselves move in SQL alone (`forum.ledger.united_votes`); at the end the other
post (`target`) is loaded into Redis again. A comment has another key in Redis after it has moved:

1. it is retracted there, so nobody votes on it, and its waiting votes are archived;
2. it moves in SQL with its votes, unless it was changed since;
3. it is loaded under its new post, as an outbox row asks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from django.db import transaction
from django.db.models import F, QuerySet

from forum.content import post_service, post_sync
from forum.content.comment_service import recount_thread
from forum.content.post_sync import PostSync
from forum.gateway.service import get_voting_service
from forum.inbox import watches
from forum.ledger import moved_votes, reloading, united_votes
from forum.ledger.archiver import archive_waiting
from forum.ledger.leaderboards import UNITED_TO
from forum.ledger.recount import recount_posts
from forum.models import Comment, InboxItem, ModAction, MovedComment, Post, Revision
from forum.screening import queue_items
from forum.sync import outbox
from voting.types import Target

COMMENTS = 100
"""Comments that one step moves."""
Step = Callable[[ModAction, Post, Post], bool]
"""Does a part of the work; returns whether it has to be called again."""


@dataclass(frozen=True)
class PostMergeSync(outbox.Sync):
    """Merges a post into another, or undoes that, step by step; it may take minutes."""

    kind = "post_merge"
    in_background = True
    action_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do one step of each merge. Outbox rows continue with the next ones."""
        for one in dict.fromkeys(syncs):
            if _step(one.action_id):
                outbox.write(one)


class _Reversed(Exception):
    """A moderator has undone the merge since this step began."""


def is_done(action: ModAction) -> bool:
    """Return whether all steps of a merge, or of undoing it, are done. No query."""
    return bool(action.details.get("done"))


def _step(action_id: int) -> bool:
    """Do the next step of a merge; return whether more are left. Raises StoreUnavailable."""
    action = ModAction.objects.select_related("post__merged_into").get(pk=action_id)
    source = action.post
    target = source.merged_into if source else None
    if source is None or target is None or source.withheld_by_id != action.pk or is_done(action):
        return False
    post_sync.deliver([source.pk])  # nobody votes on it from now on
    archive_waiting()
    steps = MERGING if action.undone_at is None else SEPARATING
    try:
        return any(step(action, source, target) for step in steps)
    except _Reversed:
        return True


def _lock(action: ModAction, source: Post, target: Post) -> None:
    """Lock a merge with both posts, and read all three again. Five queries.

    Raises _Reversed if it was undone since it was read.
    """
    united_votes.stop_archiving([source.pk, target.pk])
    current = ModAction.objects.select_for_update(no_key=True, of=("self",)).get(pk=action.pk)
    if current.undone_at != action.undone_at:
        raise _Reversed
    action.details = current.details
    posts = Post.objects.select_for_update(no_key=True).filter(pk__in=[source.pk, target.pk])
    list(posts.order_by("pk").values_list("pk"))
    source.refresh_from_db()
    target.refresh_from_db()


def _note(action: ModAction, **details: object) -> None:
    action.details = action.details | details
    action.save(update_fields=["details"])


# Merging


@transaction.atomic
def _unite_votes(action: ModAction, source: Post, target: Post) -> bool:
    _lock(action, source, target)
    last = united_votes.unite(source, target, action.details.get(UNITED_TO, 0))
    if last is None:
        return False
    _note(action, **{UNITED_TO: last})
    return True


@transaction.atomic
def _unite_watches(action: ModAction, source: Post, target: Post) -> bool:
    _lock(action, source, target)
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
    """Keep the accepted answer of the merged question, unless the other has one of its own."""
    _lock(action, source, target)
    accepted = source.accepted
    if accepted and not accepted.deleted_at and not action.details.get("keeps_answer"):
        target.accepted = target.accepted or accepted
    recount_thread(target)
    return False


@transaction.atomic
def _settle_author(action: ModAction, source: Post, target: Post) -> bool:
    _lock(action, source, target)
    united_votes.settle_author(source, target)
    return False


def _reload(_action: ModAction, _source: Post, target: Post) -> bool:
    """Load the votes of the other post into Redis. Return whether people's votes prevented that.

    If the post isn't visible, Redis forgets them, so that they are loaded when it is again.
    """
    recount_posts([target.pk])
    _reloaded, skipped = reloading.reload_posts([Target(target.pk)])
    get_voting_service().maintenance.loading.forget_votes([Target(target.pk)])
    return bool(skipped)


@transaction.atomic
def _end(action: ModAction, source: Post, target: Post) -> bool:
    _lock(action, source, target)
    _note(action, done=True)
    return False


MERGING: tuple[Step, ...] = (
    _unite_votes,
    _bring_comments,
    _unite_watches,
    _unite_answers,
    _settle_author,
    _reload,
    _end,
)


# Undoing it


@transaction.atomic
def _separate_votes(action: ModAction, source: Post, target: Post) -> bool:
    _lock(action, source, target)
    last = united_votes.separate(source, target, action.details.get(UNITED_TO, 0))
    if last is None:
        return False
    _note(action, **{UNITED_TO: last - 1})
    return True


def _return_comments(action: ModAction, source: Post, target: Post) -> bool:
    moved = MovedComment.objects.filter(action=action).values("comment")
    return _move(action, Comment.objects.filter(pk__in=moved), target, source, keep=False)


def _return_replies(action: ModAction, source: Post, target: Post) -> bool:
    """Also move replies that were written since the merge: they stay below what they reply to."""
    replies = Comment.objects.filter(post=target, parent__post=source)
    return _move(action, replies, target, source, keep=False)


@transaction.atomic
def _release(action: ModAction, source: Post, target: Post) -> bool:
    """End the undoing of a merge: show the post again as it was."""
    _lock(action, source, target)
    watches.separate(source, target)
    for other in Post.objects.filter(merged_into=target).exclude(pk=source.pk):
        watches.unite(other, target, 0)
    source.merged_into = None
    source.save(update_fields=["merged_into"])
    united_votes.count_author(source, target, counts=True)
    _check_answer(source)
    recount_thread(source)
    recount_thread(target)
    _note(action, done=True)
    post_service.release(source)
    return False


def _check_answer(source: Post) -> None:
    """Take the accepted answer from a question if it isn't visible there.

    If moderators withheld it, undoing that makes it the accepted answer again.
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
    _settle_author,
    _reload,
    _release,
)


# Comments


def _move(action: ModAction, found: QuerySet[Comment], old: Post, new: Post, *, keep: bool) -> bool:
    """Move the next of some comments to another post; return whether there were any.

    `keep` records them, so that they can be moved back. A comment that somebody changes meanwhile
    is left for the next step. A round trip for each comment.
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
    """Move those comments in SQL that still have these versions, with everything about them."""
    _lock(action, old, new)
    locked = Comment.objects.select_for_update(no_key=True).filter(pk__in=versions, post=old)
    current = locked.order_by("pk").values_list("pk", "version")
    ids = [pk for pk, version in current if versions[pk] == version]
    moved_votes.move(ids, old.pk, new.pk)
    comments = Comment.objects.filter(pk__in=ids)
    comments.update(post=new, version=F("version") + 2)  # later than the retracted version
    Revision.objects.filter(comment__in=ids).update(post=new)
    InboxItem.objects.filter(comment__in=ids).update(post=new)
    if keep:
        MovedComment.objects.bulk_create(MovedComment(action=action, comment_id=pk) for pk in ids)
    else:
        MovedComment.objects.filter(action=action, comment__in=ids).delete()
    for post in (old, new):
        recount_thread(post)
    queue_items.move(new)
    outbox.add(*(PostSync(new.pk, pk) for pk in ids))
