"""How moderators are named to everybody: by their own names only if the site's policy says so."""

from django.conf import settings
from django.utils.translation import gettext as _

from forum.models import Group, ModAction, User
from forum.screening.policy import policy


def public_name(action: ModAction) -> str:
    """Return who acted, for the log and notices. Reads the moderator, the group and the rule."""
    if action.by is not None:
        return moderators(action.by, action.group)
    return _rule_or_site(action)


def moderators(by: User, group: Group | None) -> str:
    """Return the name of a moderator of a group (None: of the site), or of all its moderators."""
    if policy.get().names_moderators:
        return by.username
    if group is None:
        return _("moderators")
    return _("moderators of /g/%(group)s") % {"group": group.slug}


def full_name(action: ModAction) -> str:
    """Return who acted, as moderators read it. Reads the moderator and the rule."""
    if action.by is not None:
        return action.by.username
    return _rule_or_site(action)


def _rule_or_site(action: ModAction) -> str:
    if action.rule is not None:
        return _("the rule “%(rule)s”") % {"rule": action.rule.name}
    return settings.SITE_NAME
