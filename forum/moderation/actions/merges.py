"""Starts and undoes merges of duplicate posts. The worker does the work (see `merge_steps`)."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import notifications, queue_items
from forum.actions.action_log import add_to_groups, record
from forum.actions.notices import notify
from forum.errors import AlreadyDecided, Gone, Invalid
from forum.identity import roles
from forum.ledger import merged_votes
from forum.ledger.counters import AuthorSync
from forum.models import Comment, ModAction, Post, User, Withheld
from forum.moderation.actions.merge_steps import PostMergeSync, is_done
from forum.store import outbox
from forum.store.post_sync import PostSync

Kind = ModAction.Kind
CURRENT = ["accepted", "deleted_at", "kind", "version", "withheld", "withheld_by"]
"""The fields of both posts to read from SQL again after locking the posts."""


@transaction.atomic
def merge(source: Post, target: Post, *, by: User, reason: str) -> ModAction:
    """Merge the post `source` into `target`, which gets the comments and votes of `source`.

    If a person voted on both posts, the later vote counts. `source` disappears at once. Its
    comments and votes follow within seconds. Raises Forbidden if `by` doesn't moderate all
    governing groups of both posts, and Invalid if these posts can't be merged. Raises Gone if a
    post is deleted, and AlreadyDecided if `source` was removed or merged before, or waits for a
    moderator's decision.
    """
    roles.require_whole_post(by, source)
    roles.require_whole_post(by, target)
    merged_votes.stop_archiving([source.pk, target.pk])
    Post.objects.lock([source.pk, target.pk])
    for post in (source, target):
        post.refresh_from_db(fields=CURRENT)
    _require_mergeable(source, target)
    action = record(
        Kind.MERGE,
        source,
        by=by,
        group=roles.acting_group(by, source),
        reason=reason,
        details={"into": target.pk, "keeps_answer": bool(_withheld_answer(target))},
    )
    add_to_groups(action, (source.pk, target.pk))
    merged_votes.count_author(source, target, counts=False)
    _close(source, target, action)
    queue_items.decide(source, action, agreed=True)
    notify(action)
    outbox.add(PostSync(source.pk), AuthorSync([source.author_id]), PostMergeSync(action.pk))
    return action


def _require_mergeable(source: Post, target: Post) -> None:
    if source.pk == target.pk:
        raise Invalid(_("You can't merge a post into itself. Choose another post."))
    if source.withheld:
        raise AlreadyDecided(source.withheld_by)
    for post in (source, target):
        if post.deleted_at:
            raise Gone(post)
    if Post.Kind.QUESTION in {source.kind, target.kind} and source.kind != target.kind:
        raise Invalid(_("A question can only be merged with another question."))
    merged = Post.objects.filter(merged_into=source).select_related("withheld_by")
    if any(not post.withheld_by or not is_done(post.withheld_by) for post in merged):
        raise Invalid(_("The post is still being merged with another post. Try again in a moment."))


def _close(source: Post, target: Post, action: ModAction) -> None:
    """Hide the merged post from readers, and mark the notifications about the post itself as read.

    If moderators have removed the post's accepted answer, the merge still treats that answer as
    accepted.
    """
    source.deleted_at, source.withheld, source.withheld_by = timezone.now(), Withheld.MERGED, action
    source.merged_into = target
    source.accepted = source.accepted or _take_withheld_answer(source)
    source.version += 1
    changed = ("deleted_at", "withheld", "withheld_by", "merged_into", "accepted", "version")
    source.save(update_fields=changed)
    notifications.post_merged(source)


def _withheld_answer(post: Post) -> Comment | None:
    """Return the answer that was accepted until moderators removed it, or None."""
    withheld = Comment.objects.deleted().filter(post=post, withheld_by__details__accepted=True)
    return withheld.select_related("withheld_by").order_by("-withheld_by").first()


def _take_withheld_answer(source: Post) -> Comment | None:
    """Return the answer that was accepted until a moderator removed it, or None.

    Also records that, if the removal is undone, the answer must not be accepted again.
    """
    answer = _withheld_answer(source)
    if answer and (action := answer.withheld_by):
        action.details = {**action.details, "accepted": False}
        action.save(update_fields=["details"])
    return answer


def undo_merge(action: ModAction) -> None:
    """Start undoing a merge. The worker moves comments and votes back, then shows the post again.

    Votes and comments that the remaining post got after the merge stay there, except replies to
    comments that move back. Raises Invalid if the remaining post has since been merged too.
    """
    target = Post.objects.locked(action.details["into"])
    if target.merged_into_id:
        raise Invalid(
            _("The other post has since been merged into a third post. Undo that merge first.")
        )
    action.details = action.details | {"done": False}
    action.save(update_fields=["details"])
    outbox.add(PostMergeSync(action.pk))
