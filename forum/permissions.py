"""Who may change what."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from forum.models import Post, User


def may_change(person: User | AnonymousUser, post: Post) -> bool:
    """Say whether a person may edit, move or delete a post: its author or staff."""
    if not isinstance(person, User):
        return False
    return person.is_active and (person.is_staff or person.pk == post.author_id)


def require_change(person: User | AnonymousUser, post: Post) -> None:
    """Raise PermissionDenied with a sentence unless the person may change the post."""
    if not may_change(person, post):
        raise PermissionDenied(_("Only the author of a post and the site's staff can change it."))
