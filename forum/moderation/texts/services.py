"""The actions that moderators can choose on the page for moderating a post or comment."""

from django.utils.translation import gettext_lazy

from forum.actions.queue_items import is_waiting
from forum.actions.visibility import Content
from forum.identity import roles
from forum.models import ModAction, Post, Withheld
from forum.models.powers import Powers
from forum.moderation.actions import undo
from forum.moderation.actions.scope import post_of
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


def require_acting(text: Content, powers: Powers) -> None:
    """Raise Forbidden unless a moderator can do anything on a post or comment.

    Moderators of groups that aren't governing can only take a visible post out of their group.
    """
    is_visible_post = isinstance(text, Post) and not text.deleted_at
    post = post_of(text)
    groups = roles.groups_of(post) if is_visible_post else roles.governing_ids(post)
    roles.require_moderating(powers, groups)


def available(text: Content, powers: Powers, viewer_id: int) -> list[str]:
    """Return the names of the actions that a moderator can do on a post or comment now.

    Call `require_acting` first.
    """
    governing = roles.governing_ids(post_of(text))
    if not powers.moderates_some(governing):
        return [Kind.TAKE_OUT]
    is_own = powers.is_involved(viewer_id, text.author_id)
    if text.withheld in {Withheld.HELD, Withheld.HIDDEN}:
        hidden = text.withheld == Withheld.HIDDEN and powers.is_site_moderator
        restore = [Kind.RESTORE_FLAGGED] if hidden else []
        return [Kind.REMOVE] if is_own else [Kind.APPROVE, *restore, Kind.REMOVE]
    if text.withheld == Withheld.REMOVED:
        return [UNDO]
    if text.deleted_at:
        return [Kind.RESTORE] if powers.is_admin else []
    names: list[str] = [Kind.DISMISS] if is_waiting(text) and not is_own else []
    if not isinstance(text, Post):
        return [*names, Kind.REMOVE]
    if powers.moderates_all(governing):
        names.append(Kind.REMOVE)
    if not powers.moderates_all(roles.groups_of(text)):
        names.append(Kind.TAKE_OUT)
    names.append(Kind.UNLOCK if text.locked else Kind.LOCK)
    names.append(Kind.RELEASE_REPLIES if text.holds_replies else Kind.HOLD_REPLIES)
    return names
