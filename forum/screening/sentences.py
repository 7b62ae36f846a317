"""Sentences that say what moderators did, for everybody: they never name a private detail."""

from django.conf import settings
from django.utils.translation import gettext as _

from forum.models import Comment, Group, ModAction, Post, Withheld
from forum.screening.policy import policy


def moderators_of(group: Group | None) -> str:
    """Return the name of a group's or the site's moderators, inside a sentence."""
    if group is None:
        return _("moderators of %(site)s") % {"site": settings.SITE_NAME}
    return _("moderators of %(group)s") % {"group": group.title}


def actor(action: ModAction) -> str:
    """Return who acted, as everybody may read it: moderators are named only if the policy says so.

    Reads the action's moderator, rule and group.
    """
    if action.by is not None:
        named = policy.get().names_moderators
        return action.by.username if named else moderators_of(action.group)
    if action.rule is not None:
        return _("the rule “%(rule)s”") % {"rule": action.rule.name}
    return settings.SITE_NAME


def why_withheld(withheld: str, action: ModAction | None) -> str:
    """Return the sentence that stands in the place of a withheld text; "" for a deleted one."""
    if withheld == Withheld.HELD:
        return _("Waiting for a moderator's approval.")
    if withheld == Withheld.HIDDEN:
        return _("Hidden until a moderator decides.")
    if withheld != Withheld.REMOVED or action is None:
        return ""
    names = {"who": actor(action), "reason": action.reason}
    if not action.reason:
        return _("Removed by %(who)s.") % names
    return _("Removed by %(who)s: %(reason)s") % names


def why_text_is_withheld(text: Post | Comment) -> str:
    """Return `why_withheld` for a post or comment. One query if it is withheld."""
    return why_withheld(text.withheld, text.withheld_by) if text.withheld else ""
