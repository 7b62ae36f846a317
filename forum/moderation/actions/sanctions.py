"""Warns and bans people, and ends bans.

A person has at most one active ban for each group, and one for the site. The newest ban or unban
that isn't undone decides whether the person is banned.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import profiles, queue_items
from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.errors import AlreadyDecided, Invalid
from forum.identity import permissions
from forum.models import Ban, Group, ModAction, QueueItem, User
from forum.models.powers import Powers
from forum.models.user import forget_viewer

Kind = ModAction.Kind
PLACE = "place"
"""The key of the group's id in a ban's `details`. The id is kept if the group is deleted."""


@transaction.atomic
def warn(person: User, group: Group | None, *, by: User, reason: str) -> ModAction:
    """Warn a person as a moderator of `group`, or of the site if `group` is None.

    The person gets a notice with the reason. Raises Forbidden if `by` may not warn the person.
    """
    powers = permissions.require_sanctioning(by, person, group)
    action = record(Kind.WARN, person, by=by, group=group, reason=reason)
    _decide(person, action, powers)
    notify(action)
    return action


@transaction.atomic
def ban(
    person: User,
    group: Group | None,
    *,
    by: User,
    reason: str,
    until: datetime | None,
    blanks_bio: bool = False,
) -> ModAction:
    """Ban a person from `group` until the time `until`.

    A `group` of None means the whole site, and an `until` of None means forever. The new ban
    replaces an earlier ban from the same group or site. `blanks_bio` also removes the person's bio,
    until the ban is undone. Raises Forbidden if `by` may not ban the person or
    remove the bio, and Invalid if `until` has passed or the bio can't be removed.
    """
    powers = permissions.require_sanctioning(by, person, group)
    if until is not None and until <= timezone.now():
        raise Invalid(_("A ban must end in the future."))
    if blanks_bio and (group or until):
        raise Invalid(_("Only a permanent ban from the whole site can also remove the bio."))
    User.lock(person.pk)
    _lift(person, group)
    details: dict[str, Any] = _details(group)
    if blanks_bio:
        details[profiles.BIO] = profiles.blank_about(person, by=by)
    action = record(
        Kind.BAN, person, by=by, group=group, reason=reason, until=until, details=details
    )
    Ban.objects.create(user=person, group=group, action=action, until=until)
    _decide(person, action, powers)
    notify(action)
    forget_viewer(person.pk)
    return action


@transaction.atomic
def unban(person: User, group: Group | None, *, by: User, reason: str = "") -> ModAction:
    """End a person's ban from `group`, or from the site if `group` is None.

    Raises Forbidden if `by` may not ban the person. Raises AlreadyDecided if the person isn't
    banned from the group or site.
    """
    permissions.require_sanctioning(by, person, group)
    User.lock(person.pk)
    found = Ban.objects.filter(user=person, group=group, lifted_at=None).first()
    if found is None or not found.is_active:
        raise AlreadyDecided(_newest(person, group))
    _lift(person, group)
    action = record(Kind.UNBAN, person, by=by, group=group, reason=reason, details=_details(group))
    notify(action)
    forget_viewer(person.pk)
    return action


def undo_warning(_action: ModAction) -> None:
    """Do nothing, since a warning has no effects. The log and the notice say that it was undone."""


def undo_ban(action: ModAction) -> None:
    """Undo a ban or an unban. The newest remaining ban or unban then applies to the person."""
    person = action.person
    if person is None:
        raise ValueError("a ban is always about a person")
    if action.details.get(PLACE) != _details(action.group)[PLACE]:
        return  # the group and its bans were deleted
    User.lock(person.pk)
    profiles.restore_about(person, action.details.get(profiles.BIO, ""))
    _lift(person, action.group)
    newest = _newest(person, action.group, besides=action)
    if newest is not None and newest.kind == Kind.BAN:
        Ban.objects.filter(action=newest, user=person).update(lifted_at=None)
    forget_viewer(person.pk)


def _lift(person: User, group: Group | None) -> None:
    bans = Ban.objects.filter(user=person, group=group, lifted_at=None)
    bans.update(lifted_at=timezone.now())


def _newest(
    person: User, group: Group | None, besides: ModAction | None = None
) -> ModAction | None:
    """Return a person's newest ban or unban that isn't undone, or None.

    Ignores the action `besides`. If `group` is None, considers only bans and unbans for the whole
    site.
    """
    about = ModAction.objects.filter(person=person, kind__in=(Kind.BAN, Kind.UNBAN), undone_at=None)
    here = about.filter(details__place=_details(group)[PLACE])
    if besides is not None:
        here = here.exclude(pk=besides.pk)
    return here.select_related("by", "rule").order_by("-pk").first()


def _details(group: Group | None) -> dict[str, int]:
    return {PLACE: group.pk if group else 0}


def _decide(person: User, action: ModAction, powers: Powers) -> None:
    """Close the open flags about a person who was warned or banned by a site moderator.

    Warnings and bans by group moderators leave the flags open, because only site moderators see
    flags about people.
    """
    if powers.is_site_moderator:
        item = queue_items.open_item_of(person)
        if item is not None and item.kind != QueueItem.Kind.APPLICATION:
            queue_items.decide(person, action, agreed=True)
