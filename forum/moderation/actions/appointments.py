"""Appoints and discharges the moderators of groups."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.errors import Forbidden, Invalid
from forum.identity import permissions, roles
from forum.models import Group, GroupModerator, ModAction, User
from forum.models.user import forget_viewer
from forum.queries import group_moderators, role_marks

Kind = ModAction.Kind
CHOICES = (Kind.APPOINT, Kind.DISCHARGE)
State = dict[str, Any]
"""A moderator's role in a group: its id and start date. Moderators are listed by role id."""


@transaction.atomic
def appoint(group: Group, person: User, *, by: User) -> ModAction:
    """Make a person a moderator of a group, and notify them.

    Raises Forbidden if `by` may not choose the group's moderators. Raises Invalid if the person
    already moderates the group or can't write in the group.
    """
    permissions.require_appointing(by, group)
    _require_member(group, person)
    Group.objects.locked(group.pk)
    role, created = GroupModerator.objects.get_or_create(group=group, user=person)
    if not created:
        raise Invalid(_("%(name)s already moderates this group.") % {"name": person.username})
    action = record(Kind.APPOINT, person, by=by, group=group, details=_state(role))
    _forget(group, person)
    notify(action)
    return action


@transaction.atomic
def discharge(group: Group, person: User, *, by: User, reason: str = "") -> ModAction:
    """Remove a person from the moderators of a group, and notify the person.

    Moderators may also remove themselves. Raises Forbidden if `by` may not dismiss the person, and
    Invalid if the person doesn't moderate the group.
    """
    require_dismissing(by, person, group)
    Group.objects.locked(group.pk)
    role = GroupModerator.objects.filter(group=group, user=person).first()
    if role is None:
        raise Invalid(_("%(name)s doesn't moderate this group.") % {"name": person.username})
    details = _state(role)
    role.delete()
    action = record(Kind.DISCHARGE, person, by=by, group=group, reason=reason, details=details)
    _forget(group, person)
    notify(action)
    return action


def require_dismissing(by: User, person: User, group: Group) -> None:
    """Raise Forbidden unless `by` may remove a person from the moderators of a group.

    Moderators may resign. Those who may choose moderators may dismiss others, but only admins may
    dismiss the moderator who appointed them.
    """
    if by.pk == person.pk:
        return
    permissions.require_appointing(by, group)
    if person.pk in superiors_of(by, group):
        names = {"name": person.username}
        raise Forbidden(
            _("You are a moderator because of %(name)s. Only admins can do this.") % names
        )


def superiors_of(moderator: User, group: Group) -> set[int]:
    """Return the ids of the people who appointed a moderator of a group, directly or not.

    A moderator's appointer was appointed by somebody, too, and so on. Empty for admins.
    """
    if roles.powers_of(moderator).is_admin:
        return set()
    made = ModAction.objects.filter(kind=Kind.APPOINT, group=group, undone_at=None)
    appointers = dict(made.order_by("pk").values_list("person_id", "by_id"))
    found: set[int] = set()
    above = appointers.get(moderator.pk)
    while above is not None and above not in found:
        found.add(above)
        above = appointers.get(above)
    return found


def undo_choice(action: ModAction) -> None:
    """Undo the appointment or discharge of a moderator.

    Appointments and discharges can be undone in any order. Raises Invalid if the group was deleted.
    """
    group, person = action.group, action.person
    if group is None or person is None:
        raise Invalid(_("The group was deleted."))
    Group.objects.locked(group.pk)
    choices = ModAction.objects.filter(group=group, person=person, kind__in=CHOICES)
    _set_role(group, person, _role_after(choices.order_by("pk"), without=action))
    _forget(group, person)


def _role_after(choices: Iterable[ModAction], *, without: ModAction) -> State | None:
    """Return the role that a person has in a group after the action `without` is undone, or None.

    `choices` are all appointments and discharges of the person in the group, oldest first. If a
    discharge comes first, the person had a role from the beginning.
    """
    role: State | None = None
    for number, one in enumerate(choices):
        if number == 0 and one.kind == Kind.DISCHARGE:
            role = one.details
        if one.undone_at is None and one.pk != without.pk:
            role = (role or one.details) if one.kind == Kind.APPOINT else None
    return role


def _set_role(group: Group, person: User, role: State | None) -> None:
    """Make a person a moderator of a group, or remove the moderator if `role` is None.

    `role` contains the id of the row in SQL, and the date when the person became a moderator.
    """
    current = GroupModerator.objects.filter(group=group, user=person)
    if role is None:
        current.delete()
        return
    current.exclude(pk=role["id"]).delete()
    since = parse_datetime(role["since"])
    GroupModerator.objects.get_or_create(pk=role["id"], defaults={"group": group, "user": person})
    GroupModerator.objects.filter(pk=role["id"]).update(created_at=since)


def _state(role: GroupModerator) -> State:
    """Return the id and start date of a moderator's role, so that its removal can be undone."""
    return {"id": role.pk, "since": role.created_at.isoformat()}


def _require_member(group: Group, person: User) -> None:
    sentence = _("%(name)s can't write in this group, and so can't moderate it.")
    refused = Invalid(sentence % {"name": person.username})
    if not person.is_active:
        raise refused
    try:
        permissions.require_not_banned(person, [group.pk])
    except Forbidden as error:
        raise refused from error


def _forget(group: Group, person: User) -> None:
    """Clear the person's cached permissions, and the cached names and marks of moderators."""
    forget_viewer(person.pk)
    transaction.on_commit(role_marks.forget)
    transaction.on_commit(lambda: group_moderators.forget(group.pk))
