"""Decides about queue items. A second decision about the same item is refused."""

from django.db import transaction

from forum.actions import visibility
from forum.actions.action_log import Target
from forum.errors import AlreadyDecided, Invalid
from forum.models import ModAction, QueueItem, User
from forum.moderation.actions import applications, decisions
from forum.moderation.actions.table import ACTIONS

Kind = ModAction.Kind
DECISIONS = (Kind.DISMISS, Kind.APPROVE, Kind.REMOVE, Kind.RESTORE_FLAGGED, Kind.LOCK)
"""The decisions that moderators can make about an item. LOCK locks the thread only."""


@transaction.atomic
def decide(
    item: QueueItem, decision: Kind, *, by: User, reason: str = "", is_private: bool = False
) -> ModAction | None:
    """Decide about an open item. Return the new action. Applicants are admitted or declined.

    Returns None if the decision is to lock a thread that is already locked. Raises AlreadyDecided
    if another moderator decided first, and Forbidden if `by` may not decide. Raises Gone if the
    author deleted the post or comment, and Invalid if the decision doesn't apply to the item. Two
    dozen queries.
    """
    target = item.target
    if isinstance(target, User) and decision in applications.DECISIONS:
        if item.kind != QueueItem.Kind.APPLICATION:
            raise Invalid
        return applications.decide(target.application, decision, by=by, reason=reason)
    _lock(target)
    _require_open(item)
    if isinstance(target, User):
        if decision != Kind.DISMISS:
            raise Invalid
        return decisions.dismiss(target, by=by, reason=reason)
    return ACTIONS[decision].act(target, by=by, reason=reason, is_private=is_private)


def _lock(target: Target) -> None:
    """Lock the post or person that an item is about.

    Call this before locking the item, to prevent deadlocks.
    """
    if isinstance(target, User):
        User.lock(target.pk)
    else:
        visibility.lock(target)


def _require_open(item: QueueItem) -> None:
    items = QueueItem.objects.select_related("decision__by", "decision__rule")
    current = items.locked(item.pk)
    if current.decided_at:
        raise AlreadyDecided(current.decision)
