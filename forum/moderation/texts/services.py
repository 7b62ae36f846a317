"""The actions that moderators can choose on the page for moderating a post or comment."""

from django.utils.translation import gettext_lazy

from forum.actions.queue_items import is_waiting
from forum.actions.visibility import Content
from forum.identity.roles import groups_of
from forum.models import ModAction, Post, Withheld
from forum.models.powers import Powers
from forum.moderation.actions import undo
from forum.moderation.actions.table import ACTIONS, Action

Kind = ModAction.Kind
UNDO = "undo"
CHOICES = ACTIONS | {
    UNDO: Action(
        None,
        lambda text, by, reason: undo.bring_back(text, by=by),
        gettext_lazy("Undo the removal"),
        reason=False,
    )
}
"""The actions by their names in forms. An action is called like the kind of its log entry."""


def available(text: Content, powers: Powers, viewer_id: int) -> list[str]:
    """Return the names of the actions that a moderator can do on a post or comment now."""
    is_own = powers.is_involved(viewer_id, text.author_id)
    if text.withheld in {Withheld.HELD, Withheld.HIDDEN}:
        hidden = text.withheld == Withheld.HIDDEN and powers.is_site_moderator
        restore = [Kind.RESTORE_FLAGGED] if hidden else []
        return [Kind.REMOVE] if is_own else [Kind.APPROVE, *restore, Kind.REMOVE]
    if text.withheld == Withheld.REMOVED:
        return [UNDO]
    if text.deleted_at:
        return [Kind.RESTORE]
    names: list[str] = [Kind.DISMISS] if is_waiting(text) and not is_own else []
    if not isinstance(text, Post):
        return [*names, Kind.REMOVE]
    group_ids = groups_of(text)
    names.append(Kind.REMOVE if powers.moderates_all(group_ids) else Kind.TAKE_OUT)
    names.append(Kind.UNLOCK if text.locked else Kind.LOCK)
    names.append(Kind.RELEASE_REPLIES if text.holds_replies else Kind.HOLD_REPLIES)
    return names
