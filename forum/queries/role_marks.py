"""Caches who is staff or moderates groups, for the marks beside people's names."""

from collections import defaultdict
from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class RoleMarks:
    """The marks of all people who have one, by id and by name."""

    by_id: Mapping[int, RoleMark] = field(default_factory=dict)
    by_name: Mapping[str, RoleMark] = field(default_factory=dict)


def of_person(user_id: int) -> RoleMark:
    """Return the mark of a person. At most two queries every two seconds."""
    return _marks.get().by_id.get(user_id, NO_MARK)


def of_name(name: str) -> RoleMark:
    """Return the mark of the person with this name. At most two queries every two seconds."""
    return _marks.get().by_name.get(name, NO_MARK)


def forget() -> None:
    """Drop the cached marks. Call this after a role or a name of a moderator has changed."""
    _marks.forget()


def _read() -> RoleMarks:
    names, groups = {}, defaultdict[int, list[str]](list)
    moderators = GroupModerator.objects.filter(user__is_active=True).order_by("pk")
    for pk, name, slug in moderators.values_list("user_id", "user__username", "group__slug"):
        names[pk] = name
        groups[pk].append(slug)
    marks = {pk: RoleMark(False, slugs[0], len(slugs) - 1) for pk, slugs in groups.items()}
    staff = User.objects.filter(is_staff=True, is_active=True)
    for pk, name in staff.values_list("pk", "username"):
        names[pk] = name
        marks[pk] = RoleMark(is_staff=True)
    return RoleMarks(marks, {names[pk]: mark for pk, mark in marks.items()})


_marks = ProcessCache(_read, RoleMarks())
