"""The table of moderators' actions: what each is called, what does it, and what undoes it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from forum.actions.visibility import Content
from forum.models import ModAction, User
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
    vote_voids,
)

Kind = ModAction.Kind


@dataclass(frozen=True, slots=True)
class Action:
    """An action. Moderators can choose it on a post or comment if it has `do` and `label`."""

    undo: Callable[[ModAction], None] | None
    do: Callable[..., ModAction | None] | None = None
    label: Promise | str = ""
    reason: bool = True
    """Whether the moderator must give a reason."""
    private: bool = False
    """Whether the moderator may keep the text and its author out of the log."""

    def act(
        self, text: Content, *, by: User, reason: str, is_private: bool = False
    ) -> ModAction | None:
        """Do the action on a post or comment. Return the log entry, or None if there is none."""
        if self.do is None:
            raise ValueError("this action isn't about a post or comment")
        private = {"is_private": is_private} if self.private else {}
        return self.do(text, by=by, reason=reason, **private)


def _thread(kind: Kind, label: Promise | str) -> Action:
    return Action(threads.undo_thread, partial(threads.set_thread, kind=kind), label)


ACTIONS: dict[str, Action] = {
    Kind.APPROVE: Action(decisions.undo_decision, decisions.approve, _("Approve"), reason=False),
    Kind.DISMISS: Action(
        decisions.undo_decision, decisions.dismiss, _("Dismiss flags"), reason=False
    ),
    Kind.REMOVE: Action(removals.undo_removal, removals.remove, _("Remove"), private=True),
    Kind.REJECT: Action(removals.undo_removal),
    Kind.RESTORE: Action(removals.undo_restoration, removals.restore, _("Restore")),
    Kind.RESTORE_FLAGGED: Action(
        bulk.undo_everything,
        bulk.restore_flagged,
        _("Restore everything that these accounts' flags hid"),
    ),
    Kind.REMOVE_ALL: Action(bulk.undo_everything),
    Kind.VOID_VOTES: Action(vote_voids.undo_void),
    Kind.TAKE_OUT: Action(
        bulk_undo.undo_taking_out, corrections.take_out, _("Remove from my groups")
    ),
    Kind.LOCK: _thread(Kind.LOCK, _("Lock the thread")),
    Kind.UNLOCK: _thread(Kind.UNLOCK, _("Unlock the thread")),
    Kind.HOLD_REPLIES: _thread(Kind.HOLD_REPLIES, _("Hold replies for approval")),
    Kind.RELEASE_REPLIES: _thread(Kind.RELEASE_REPLIES, _("Stop holding replies")),
    Kind.EDIT: Action(corrections.undo_edit),
    Kind.MERGE: Action(merges.undo_merge),
    Kind.WARN: Action(sanctions.undo_warning),
    Kind.BAN: Action(sanctions.undo_ban),
    Kind.UNBAN: Action(sanctions.undo_ban),
    Kind.ADMIT: Action(applications.undo_decision),
    Kind.DECLINE: Action(applications.undo_decision),
    Kind.APPOINT: Action(appointments.undo_choice),
    Kind.DISCHARGE: Action(appointments.undo_choice),
}
"""All actions that can be undone, by the kind of their log entry."""
