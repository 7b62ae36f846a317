"""Caches who is staff or moderates groups, for the marks beside people's names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from forum.models import GroupModerator, User
from forum.queries.process_cache import ProcessCache


class RoleMark(NamedTuple):
    """The content of the mark beside a person's name."""

    is_staff: bool = False
    group: str = ""
    """The short name of a group that the person moderates."""
    more: int = 0
    """The number of other groups that the person moderates."""


NO_MARK = RoleMark()


@dataclass(slots=True)
class Role:
    """The role of a person who has a mark."""

    name: str
    is_staff: bool = False
    groups: list[str] = field(default_factory=list)
    """The short names of the groups that the person moderates, in order of appointment."""

    def mark(self, here: Collection[str]) -> RoleMark:
        """Return the person's mark on a page about the groups `here`, the first one before all."""
        if self.is_staff:
            return RoleMark(is_staff=True)
        for slug in here:
            if slug in self.groups:
                return RoleMark(group=slug)
        return RoleMark(group=self.groups[0], more=len(self.groups) - 1)


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of all people who have a mark, by id and by name."""

    by_id: Mapping[int, Role] = field(default_factory=dict)
    by_name: Mapping[str, Role] = field(default_factory=dict)


def of_person(user_id: int, here: Collection[str] = ()) -> RoleMark:
    """Return the mark of a person. At most two queries every two seconds.

    If the person moderates one of the groups `here`, the mark is for that group.
    """
    role = _roles.get().by_id.get(user_id)
    return role.mark(here) if role else NO_MARK


def of_name(name: str, here: Collection[str] = ()) -> RoleMark:
    """Return the mark of the person with this name. At most two queries every two seconds.

    If the person moderates one of the groups `here`, the mark is for that group.
    """
    role = _roles.get().by_name.get(name)
    return role.mark(here) if role else NO_MARK


def forget() -> None:
    """Drop the cached roles. Call this after a role or a name of a moderator has changed."""
    _roles.forget()


def _read() -> Roles:
    roles: dict[int, Role] = {}
    moderators = GroupModerator.objects.filter(user__is_active=True).order_by("pk")
    for pk, name, slug in moderators.values_list("user_id", "user__username", "group__slug"):
        roles.setdefault(pk, Role(name)).groups.append(slug)
    staff = User.objects.filter(is_staff=True, is_active=True)
    for pk, name in staff.values_list("pk", "username"):
        roles[pk] = Role(name, is_staff=True)
    return Roles(roles, {role.name: role for role in roles.values()})


_roles = ProcessCache(_read, Roles())
