"""Private notes that moderators write about people."""

from forum.identity import permissions, roles
from forum.models import Group, ModNote, User


def write_note(person: User, group: Group | None, *, by: User, text: str) -> ModNote:
    """Write a note about a person for the moderators of `group`, or of the site if `group` is None.

    Raises Forbidden if `by` doesn't moderate the group or site, or is the person.
    """
    roles.require_moderator_of(by, group)
    permissions.require_not_self(by, person)
    return ModNote.objects.create(user=person, group=group, by=by, text=text)
