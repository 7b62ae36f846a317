"""Undoes moderation actions: afterwards the site is as if the action had never happened."""

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import queue_items
from forum.actions.notices import notify_undone
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Forbidden, Invalid
from forum.identity import permissions, roles
from forum.models import ModAction, User, Withheld
from forum.models.powers import Powers
from forum.moderation.actions import (
    applications,
    appointments,
    bulk,
    bulk_undo,
    corrections,
    decisions,
    merges,
    removals,
    sanctions,
    threads,
)

Kind = ModAction.Kind
UNDO: dict[str, Callable[[ModAction], None]] = {
    Kind.REMOVE: removals.undo_removal,
    Kind.REJECT: removals.undo_removal,
    Kind.RESTORE: removals.undo_restoration,
    Kind.APPROVE: decisions.undo_decision,
    Kind.DISMISS: decisions.undo_decision,
    Kind.EDIT: corrections.undo_edit,
    Kind.LOCK: threads.undo_thread,
    Kind.UNLOCK: threads.undo_thread,
    Kind.HOLD_REPLIES: threads.undo_thread,
    Kind.RELEASE_REPLIES: threads.undo_thread,
    Kind.WARN: sanctions.undo_warning,
    Kind.BAN: sanctions.undo_ban,
    Kind.UNBAN: sanctions.undo_ban,
    Kind.MERGE: merges.undo_merge,
    Kind.ADMIT: applications.undo_decision,
    Kind.DECLINE: applications.undo_decision,
    Kind.REMOVE_ALL: bulk.undo_everything,
    Kind.RESTORE_FLAGGED: bulk.undo_everything,
    Kind.TAKE_OUT: bulk_undo.undo_taking_out,
    Kind.APPOINT: appointments.undo_choice,
    Kind.DISCHARGE: appointments.undo_choice,
}
"""For each kind of action that can be undone, the function that undoes it."""


def may_undo(powers: Powers, person: User, action: ModAction) -> bool:
    """Return whether a person with these powers (rights as a moderator) may undo an action.

    Moderators may undo actions in the groups they moderate, except actions about themselves. To
    undo an appointment or discharge, they must be allowed to choose the group's moderators.
    """
    if action.kind not in UNDO or action.undone_at or action.person_id == person.pk:
        return False
    if action.kind in {Kind.APPOINT, Kind.DISCHARGE}:
        return permissions.may_appoint(powers, action.group)
    return powers.moderates_in(action.group_id)


@transaction.atomic
def bring_back(text: Content, *, by: User) -> None:
    """Make a post or comment visible again, whether moderators removed it or its author deleted it.

    Undoes a removal or merge, and approves a held or hidden post or comment. Raises Forbidden if
    `by` may not do this, and AlreadyDecided if the post or comment is visible.
    """
    if text.withheld in {Withheld.REMOVED, Withheld.MERGED} and text.withheld_by:
        undo(text.withheld_by, by=by)
        text.refresh_from_db(fields=["deleted_at", "withheld", "withheld_by"])
    elif text.withheld:
        decisions.approve(text, by=by)
    else:
        removals.restore(text, by=by, reason="")


@transaction.atomic
def undo(action: ModAction, *, by: User) -> None:
    """Undo a moderation action, and notify the person concerned.

    If the action closed items in the moderation queue, they open again.

    Raises Forbidden if `by` may not undo the action, and Invalid if this kind of action can't be
    undone. Raises AlreadyDecided if somebody has undone the action before.
    """
    current = ModAction.objects.select_for_update(no_key=True, of=("self",)).get(pk=action.pk)
    if current.kind not in UNDO:
        raise Invalid(_("This action can't be undone."))
    if current.undone_at:
        raise AlreadyDecided(current)
    if not may_undo(roles.powers_of(by), by, current):
        raise Forbidden
    UNDO[current.kind](current)
    current.undone_at, current.undone_by = timezone.now(), by
    current.save(update_fields=["undone_at", "undone_by"])
    queue_items.reopen(current)
    notify_undone(current)
    action.undone_at, action.undone_by = current.undone_at, current.undone_by
