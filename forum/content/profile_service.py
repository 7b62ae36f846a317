"""Lets people edit their own profiles."""

from forum import permissions
from forum.models import User


def set_about(person: User, about: str, *, by: User) -> None:
    """Change the bio of a person, as that same person. Raises Forbidden if `by` is anybody else."""
    permissions.require_self(by, person)
    person.about = about
    person.save(update_fields=["about"])
