"""Appointing the moderators of a group, and discharging them."""

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from forum import permissions
from forum.errors import Forbidden, Invalid
from forum.models import Group, GroupModerator, ModAction, User
from forum.models.user import forget_viewer
from forum.queries import group_moderators
from forum.screening.action_log import record
from forum.screening.notices import notify

Kind = ModAction.Kind


@transaction.atomic
def appoint(group: Group, person: User, *, by: User) -> ModAction:
    """Make a person a moderator of a group, and notify them.

    Raises Forbidden, and Invalid if the person is a moderator already or can't write in the group.
    """
    permissions.require_appointing(by, group)
    _require_member(group, person)
    _appointed, created = GroupModerator.objects.get_or_create(group=group, user=person)
    if not created:
        raise Invalid(_("%(name)s already moderates this group.") % {"name": person.username})
    action = record(Kind.APPOINT, person, by=by, group=group)
    _forget(group, person)
    notify(action)
    return action


@transaction.atomic
def discharge(group: Group, person: User, *, by: User, reason: str = "") -> ModAction:
    """End a person's role as a moderator of a group, and notify them. Moderators may resign.

    Raises Forbidden, and Invalid if the person isn't a moderator of the group.
    """
    if by.pk != person.pk:
        permissions.require_appointing(by, group)
    moderators = GroupModerator.objects.select_for_update(no_key=True, of=("self",))
    current = moderators.filter(group=group, user=person).first()
    if current is None:
        raise Invalid(_("%(name)s doesn't moderate this group.") % {"name": person.username})
    details = {"since": current.created_at.isoformat()}
    current.delete()
    action = record(Kind.DISCHARGE, person, by=by, group=group, reason=reason, details=details)
    _forget(group, person)
    notify(action)
    return action


def undo_appointment(action: ModAction) -> None:
    """End the role that an action gave."""
    group, person = _concerned(action)
    GroupModerator.objects.filter(group=group, user=person).delete()
    _forget(group, person)


def undo_discharge(action: ModAction) -> None:
    """Give a person their role back, as long-standing as before."""
    group, person = _concerned(action)
    _again, created = GroupModerator.objects.get_or_create(group=group, user=person)
    if created:
        since = parse_datetime(action.details["since"])
        GroupModerator.objects.filter(group=group, user=person).update(created_at=since)
    _forget(group, person)


def _require_member(group: Group, person: User) -> None:
    """Raise Invalid if a person can't write in a group. One query."""
    sentence = _("%(name)s can't write in this group, and so can't moderate it.")
    refused = Invalid(sentence % {"name": person.username})
    if not person.is_active:
        raise refused
    try:
        permissions.require_not_banned(person, [group.pk])
    except Forbidden as error:
        raise refused from error


def _concerned(action: ModAction) -> tuple[Group, User]:
    """Return the group and person of an action. Raises Invalid if the group was deleted."""
    if action.group is None or action.person is None:
        raise Invalid(_("The group was deleted."))
    return action.group, action.person


def _forget(group: Group, person: User) -> None:
    """Drop what caches say about the person and the group's moderators, after the transaction."""
    forget_viewer(person.pk)
    transaction.on_commit(lambda: group_moderators.forget(group.pk))
