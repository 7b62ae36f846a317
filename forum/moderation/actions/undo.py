"""Undoes moderation actions: afterwards the site is as if the action had never happened."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import moderator_edits, queue_items
from forum.actions.notices import notify_undone
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Forbidden, Invalid
from forum.identity import permissions, roles
from forum.models import ModAction, User, Withheld
from forum.models.powers import Powers
from forum.moderation.actions import appointments, decisions, removals, vote_voids
from forum.moderation.actions.table import ACTIONS

Kind = ModAction.Kind


def may_undo(powers: Powers, person: User, action: ModAction) -> bool:
    """Return whether a person with these powers (rights as a moderator) may undo an action.

    Moderators may undo actions in the groups they moderate, except actions about themselves, and
    edits if the earlier text is no longer stored. To
    undo an appointment or discharge, they must be allowed to choose the group's moderators.
    """
    if action.kind not in ACTIONS or action.undone_at or action.person_id == person.pk:
        return False
    if vote_voids.is_about(action, person.pk) or moderator_edits.has_lost_text(action):
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
    current = ModAction.objects.locked(action.pk)
    undo_it = ACTIONS[current.kind].undo if current.kind in ACTIONS else None
    if undo_it is None:
        raise Invalid(_("This action can't be undone."))
    if current.undone_at:
        raise AlreadyDecided(current)
    if not may_undo(roles.powers_of(by), by, current):
        raise Forbidden
    if current.kind == Kind.APPOINT and current.group and current.person:
        appointments.require_dismissing(by, current.person, current.group)
    if current.kind == Kind.VOID_VOTES:
        vote_voids.require_restoring(by, current)
    undo_it(current)
    current.undone_at, current.undone_by = timezone.now(), by
    current.save(update_fields=["undone_at", "undone_by"])
    queue_items.reopen(current)
    notify_undone(current)
    action.undone_at, action.undone_by = current.undone_at, current.undone_by
