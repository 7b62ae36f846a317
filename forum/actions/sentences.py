"""Sentences that tell everybody what moderators did, without private details."""

from django.utils.translation import gettext as _

from forum.actions.names import public_name
from forum.models import Comment, ModAction, Post, Withheld


def why_withheld(withheld: str, action: ModAction | None) -> str:
    """Return why readers can't see a post or comment, for example "Removed by NAME: REASON".

    `action` is the action that hid it. Returns "" if the author deleted the post or comment,
    or if the post was merged.
    """
    if withheld == Withheld.HELD:
        return _("Waiting for a moderator's approval.")
    if withheld == Withheld.HIDDEN:
        return _("Hidden until a moderator decides.")
    if withheld != Withheld.REMOVED or action is None:
        return ""
    names = {"who": public_name(action), "reason": action.reason}
    if not action.reason:
        return _("Removed by %(who)s.") % names
    return _("Removed by %(who)s: %(reason)s") % names


def why_text_is_withheld(text: Post | Comment) -> str:
    """Return why readers can't see this post or comment; "" if moderation hasn't hidden it."""
    return why_withheld(text.withheld, text.withheld_by) if text.withheld else ""
