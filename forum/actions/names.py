"""The names under which moderators appear in public.

Moderators appear under their user names only if the site's policy allows it.
"""

from django.conf import settings
from django.utils.translation import gettext as _

from forum.actions.policy import policy
from forum.models import Group, ModAction, User


def public_name(action: ModAction) -> str:
    """Return the public name of the moderator, rule or site that did an action."""
    if action.by is not None:
        return moderators(action.by, action.group)
    return _rule_or_site(action)


def moderators(by: User, group: Group | None) -> str:
    """Return the name that readers see for the moderator `by`.

    If the policy hides user names, this is "moderators of /g/NAME" for an action in `group`. If
    `group` is None, the action is for the whole site, and the name is "moderators".
    """
    if policy.get().names_moderators:
        return by.shown_name
    if group is None:
        return _("moderators")
    return _("moderators of /g/%(group)s") % {"group": group.slug}


def full_name(action: ModAction) -> str:
    """Return who did an action, as moderators see it: the name of a moderator, a rule or the
    site.
    """
    if action.by is not None:
        return action.by.shown_name
    return _rule_or_site(action)


def _rule_or_site(action: ModAction) -> str:
    if action.rule is not None:
        return _("the rule “%(rule)s”") % {"rule": action.rule.name}
    return settings.SITE_NAME
