"""Removes posts and comments, and restores those that their authors deleted."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions import queue_items, retention, visibility
from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Gone, Invalid
from forum.identity import roles
from forum.models import ModAction, Post, User, Withheld
from forum.moderation.actions import scope

Kind = ModAction.Kind


@transaction.atomic
def remove(
    text: Content,
    *,
    by: User,
    reason: str,
    is_private: bool = False,
    parent: ModAction | None = None,
) -> ModAction:
    """Hide a post or comment from readers. Its author can still read it.

    `is_private` keeps the text and its author out of the log, for legal or privacy reasons.
    `parent` is the bulk action, if any. Raises Forbidden if `by` may not remove the post or
    comment. Raises Gone if the author deleted it, and AlreadyDecided if moderators removed or
    merged it before.
    """
    roles.require_moderator(by, scope.post_of(text))
    if isinstance(text, Post):
        roles.require_whole_post(by, text)
    visibility.lock(text)
    if text.deleted_at and not text.withheld:
        raise Gone(text)
    if text.withheld in {Withheld.REMOVED, Withheld.MERGED}:
        raise AlreadyDecided(text.withheld_by)
    action = record(
        Kind.REJECT if text.withheld == Withheld.HELD else Kind.REMOVE,
        text,
        by=by,
        group=roles.acting_group(by, scope.post_of(text)),
        reason=reason,
        is_private=is_private,
        parent=parent,
        details=scope.state_of(text),
    )
    visibility.withhold(text, Withheld.REMOVED, action)
    queue_items.decide(text, action, agreed=True)
    notify(action)
    return action


@transaction.atomic
def restore(text: Content, *, by: User, reason: str) -> ModAction:
    """Restore a post or comment that its author deleted.

    To restore what moderators removed, undo their action instead. Raises Forbidden if `by` isn't an
    admin, AlreadyDecided if the author hasn't deleted the post or comment, and Invalid if the text
    was deleted for good.
    """
    roles.require_admin(by)
    visibility.lock(text)
    if not text.deleted_at or text.withheld:
        raise AlreadyDecided(text.withheld_by)
    if retention.is_purged(text):
        raise Invalid(_("This text is no longer stored, so it can't be restored."))
    action = record(
        Kind.RESTORE,
        text,
        by=by,
        group=roles.acting_group(by, scope.post_of(text)),
        reason=reason,
    )
    visibility.release(text)
    notify(action)
    return action


def undo_removal(action: ModAction) -> None:
    """Undo the removal or rejection of a post or comment.

    If it was waiting for a moderator's decision before, it waits again.
    """
    text = scope.text_of(action)
    visibility.lock(text)
    if text.withheld_by_id == action.pk:
        scope.return_to(text, action)


def undo_restoration(action: ModAction) -> None:
    """Delete a post or comment again that a moderator had restored."""
    text = scope.text_of(action)
    visibility.lock(text)
    if not text.deleted_at:
        visibility.withhold(text)
