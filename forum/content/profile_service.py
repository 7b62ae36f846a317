"""Editing a profile by its owner."""

from forum import permissions
from forum.models import User


def set_about(person: User, about: str, *, by: User) -> None:
    """Change the bio of a person, as that person. Raises Forbidden."""
    permissions.require_self(by, person)
    person.about = about
    person.save(update_fields=["about"])
