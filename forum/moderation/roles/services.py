"""Sets whether a group's moderators, or only admins, may choose the group's moderators."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions import staff_log
from forum.identity import roles
from forum.models import Group, User


@transaction.atomic
def let_appoint(group: Group, on: bool, *, by: User) -> None:
    """Set whether a group's moderators, or only admins, may choose its moderators.

    The staff log records the change. Raises Forbidden if `by` may not change this.
    """
    roles.require_admin(by)
    changed = Group.objects.filter(pk=group.pk, moderators_appoint=not on)
    if changed.update(moderators_appoint=on):
        staff_log.changed(
            by,
            [group],
            _("The group's moderators can choose other moderators.")
            if on
            else _("Only admins choose the group's moderators."),
        )
    group.moderators_appoint = on
