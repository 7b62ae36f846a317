"""Lets people edit their own profiles."""

from forum import permissions
from forum.models import User


def set_about(person: User, about: str, *, by: User) -> None:
    """Change the bio of a person, as that same person.

    Raises Forbidden if `by` is anybody else, and Banned. One query for that.
    """
    permissions.require_self(by, person)
    permissions.require_not_banned(by)
    person.about = about
    person.save(update_fields=["about"])
