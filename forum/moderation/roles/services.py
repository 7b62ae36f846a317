"""The setting that lets a group's moderators choose others."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum import permissions
from forum.content import staff_log
from forum.models import Group, User


@transaction.atomic
def let_appoint(group: Group, on: bool, *, by: User) -> None:
    """Let a group's moderators choose its moderators, or only admins. Raises Forbidden.

    The change is in the staff log. Safe to repeat.
    """
    permissions.require_admin(by)
    changed = Group.objects.filter(pk=group.pk, moderators_appoint=not on)
    if changed.update(moderators_appoint=on):
        staff_log.changed(
            by,
            [group],
            _("Its moderators choose others.") if on else _("Only admins choose its moderators."),
        )
    group.moderators_appoint = on
