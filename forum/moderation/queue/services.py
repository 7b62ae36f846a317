"""Decides about queue items. A second decision about the same item is refused."""

from enum import StrEnum

from django.db import transaction

from forum.actions import visibility
from forum.actions.action_log import Target
from forum.errors import AlreadyDecided, Invalid
from forum.models import ModAction, QueueItem, User
from forum.moderation.actions import bulk, decisions, removals, scope, threads


class Decision(StrEnum):
    """The decisions that moderators can make about an item."""

    DISMISS = "dismiss"
    APPROVE = "approve"
    REMOVE = "remove"
    """Remove a post or comment, or reject it if it waits for approval."""
    RESTORE_FLAGGED = "restore_flagged"
    """Restore everything that is hidden by flags of the same people."""
    LOCK = "lock"
    """Lock the thread. The item stays open."""


@transaction.atomic
def decide(
    item: QueueItem, decision: Decision, *, by: User, reason: str = "", is_private: bool = False
) -> ModAction | None:
    """Decide about an open item. Return the new action.

    Returns None if the decision is to lock a thread that is already locked. Raises AlreadyDecided
    if another moderator decided first, and Forbidden if `by` may not decide. Raises Gone if the
    author deleted the post or comment, and Invalid if the decision doesn't apply to the item. Two
    dozen queries.
    """
    target = item.target
    _lock(target)
    _require_open(item)
    if decision == Decision.DISMISS:
        return decisions.dismiss(target, by=by, reason=reason)
    if isinstance(target, User):
        raise Invalid
    if decision == Decision.APPROVE:
        return decisions.approve(target, by=by, reason=reason)
    if decision == Decision.RESTORE_FLAGGED:
        return bulk.restore_flagged(target, by=by, reason=reason)
    if decision == Decision.REMOVE:
        return removals.remove(target, by=by, reason=reason, is_private=is_private)
    return threads.set_thread(scope.post_of(target), ModAction.Kind.LOCK, by=by, reason=reason)


def _lock(target: Target) -> None:
    """Lock the post or person that an item is about.

    Call this before locking the item, to prevent deadlocks.
    """
    if isinstance(target, User):
        User.objects.select_for_update(no_key=True).only("pk").get(pk=target.pk)
    else:
        visibility.lock(target)


def _require_open(item: QueueItem) -> None:
    items = QueueItem.objects.select_for_update(no_key=True, of=("self",))
    current = items.select_related("decision__by", "decision__rule").get(pk=item.pk)
    if current.decided_at:
        raise AlreadyDecided(current.decision)
