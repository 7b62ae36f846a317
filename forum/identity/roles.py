"""Finds out which roles and powers people have.

People have these roles:

- *admins* are superusers: they may do everything, and appoint moderators;
- *site moderators* are the other staff: they moderate everywhere and use the admin;
- *group moderators* have a `GroupModerator` row: they moderate in their groups only;
- *auditors* (`User.is_auditor`) read what moderators see, and change nothing.

A person whose account is inactive counts as a guest (`forum.identity.viewers`).
"""

from collections.abc import Collection

from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from forum.errors import Forbidden, NeedsSecondFactor
from forum.models import (
    Ban,
    Group,
    GroupChange,
    GroupModerator,
    Post,
    User,
)
from forum.models.powers import NO_POWERS, Powers

WITH_POWERS = Q(is_staff=True) | Q(is_auditor=True) | Q(moderates__isnull=False)
"""Selects the people who have a role. Only admins change their account data."""


def has_powers(person: User) -> bool:
    """Return whether a person has a role, even if two-factor authentication is missing."""
    return User.objects.filter(WITH_POWERS, pk=person.pk).exists()


def acts_as_staff(person: User | AnonymousUser) -> bool:
    """Return whether a person is staff and, in production, uses two-factor authentication."""
    if not person.is_staff:
        return False
    return not settings.PRODUCTION or bool(get_adapter().is_mfa_enabled(person))


def powers_of(person: User | AnonymousUser) -> Powers:
    """Return a person's powers as a moderator.

    A ban from a group takes away a moderator's powers in that group. A ban from the site takes them
    away in all groups. In production, people who have powers need two-factor authentication.
    """
    if not isinstance(person, User) or not person.is_active:
        return NO_POWERS
    here = Q(group=None) | Q(group=OuterRef("group"))
    bans = Ban.objects.active().filter(here, user=person)
    moderated = GroupModerator.objects.filter(~Exists(bans), user=person)
    powers = Powers(
        is_admin=person.is_staff and person.is_superuser,
        is_site_moderator=person.is_staff,
        is_auditor=person.is_auditor,
        group_ids=frozenset(moderated.values_list("group_id", flat=True)),
    )
    if settings.PRODUCTION and powers.reads_queue and not get_adapter().is_mfa_enabled(person):
        return Powers(needs_second_factor=True)
    return powers


def refusal(powers: Powers, sentence: str = "") -> Forbidden:
    """Return the error for a person whose powers aren't enough: Forbidden or NeedsSecondFactor."""
    return NeedsSecondFactor() if powers.needs_second_factor else Forbidden(sentence)


def require_moderating(powers: Powers, group_ids: Collection[int] | None = None) -> None:
    """Raise Forbidden unless a person moderates one of these groups.

    If `group_ids` is None, any group is enough.
    """
    if not (powers.moderates if group_ids is None else powers.moderates_some(group_ids)):
        raise refusal(powers)


def require_moderator(person: User, post: Post) -> Powers:
    """Return a person's powers. Raises Forbidden unless they moderate a governing group."""
    powers = powers_of(person)
    require_moderating(powers, governing_ids(post))
    return powers


def require_whole_post(person: User, post: Post) -> Powers:
    """Return a person's powers. Raises Forbidden unless they moderate all governing groups."""
    powers = powers_of(person)
    if not powers.moderates_all(governing_ids(post)):
        sentence = _(
            "You don't moderate all groups of this post. Take it out of your groups instead."
        )
        raise refusal(powers, sentence)
    return powers


def require_moderator_of(person: User, group: Group | None) -> Powers:
    """Return a person's powers. Raises Forbidden unless they moderate `group` (None: the site)."""
    powers = powers_of(person)
    if not powers.moderates_in(group.pk if group else None):
        raise refusal(powers)
    return powers


def acting_group(person: User, post: Post) -> Group | None:
    """Return one of the post's groups that the person moderates, or None for site moderators.

    If there are several, prefers a governing group.
    """
    powers = powers_of(person)
    if powers.is_site_moderator:
        return None
    own = [group for group in post.groups.all() if group.pk in powers.group_ids]
    governing = governing_ids(post)
    return min(own, key=lambda group: group.pk not in governing, default=None)


def require_admin(person: User) -> None:
    """Raise Forbidden unless the person is an admin."""
    powers = powers_of(person)
    if not powers.is_admin:
        raise refusal(powers)


def groups_of(post: Post) -> set[int]:
    """Return the ids of a post's groups."""
    return {group.pk for group in post.groups.all()}


def governing_groups(post_id: int) -> QuerySet[Group]:
    """Return the groups of a post whose moderators may do everything with the post and its thread.

    These are the groups that the author chose at publishing and those that moderators added. The
    moderators of groups that the author added later can only take the post out of their group.
    Otherwise, people could add their own group to a post, and then remove comments of others.
    """
    added = GroupChange.objects.filter(post=post_id, state=GroupChange.State.ADDED)
    return Group.objects.filter(posts=post_id).exclude(pk__in=added.values("group"))


def governing_ids(post: Post) -> set[int]:
    """Return the ids of a post's governing groups. One query."""
    return set(governing_groups(post.pk).values_list("pk", flat=True))


def moderates(powers: Powers, group_ids: Collection[int] | None) -> bool:
    """Return whether a person moderates one of these groups, or the site if `group_ids` is None."""
    return powers.is_site_moderator if group_ids is None else powers.moderates_some(group_ids)
