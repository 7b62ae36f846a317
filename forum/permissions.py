"""Permissions. A banned person counts as a guest (`forum.identity.viewers`)."""

from datetime import timedelta

from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import Forbidden
from forum.models import Comment, Post, User

CORRECTABLE = timedelta(hours=1)
"""Time after posting in which the author can change the address of a link. After that, people have
voted on and answered what it leads to.
"""


def acts_as_staff(person: User | AnonymousUser) -> bool:
    """Return whether a person may act as staff: in production only with two-factor authentication.

    One query for staff in production, none for anybody else.
    """
    if not person.is_staff:
        return False
    return not settings.PRODUCTION or bool(get_adapter().is_mfa_enabled(person))


def require_staff(person: User) -> None:
    """Raise Forbidden unless the person may act as staff. A query as for `acts_as_staff`."""
    if not acts_as_staff(person):
        raise Forbidden


def require_change(person: User, post: Post) -> None:
    """Raise Forbidden with a sentence unless the person wrote the post or is staff."""
    if person.pk != post.author_id and not acts_as_staff(person):
        raise Forbidden(_("Only the author and moderators can change this post."))


def may_correct_address(person: User, post: Post) -> bool:
    """Return whether the person may still change the address of a link: its author, for an hour."""
    young = timezone.now() - post.created_at < CORRECTABLE
    return post.kind == Post.Kind.LINK and person.pk == post.author_id and young


def require_author(person: User, comment: Comment) -> None:
    """Raise Forbidden with a sentence unless the person wrote the comment."""
    if person.pk != comment.author_id:
        raise Forbidden(_("Only the author can change this comment."))


def require_removal(person: User, comment: Comment) -> None:
    """Raise Forbidden with a sentence unless the person wrote the comment or is staff."""
    if person.pk != comment.author_id and not acts_as_staff(person):
        sentence = _("Only the author and moderators can delete this comment.")
        raise Forbidden(sentence)


def require_asker(person: User, post: Post) -> None:
    """Raise Forbidden with a sentence unless the person asked the question."""
    if person.pk != post.author_id:
        raise Forbidden(_("Only the person who asked can accept an answer."))


def require_self(viewer: User, person: User) -> None:
    """Raise Forbidden with a sentence unless a person edits their own profile."""
    if viewer.pk != person.pk:
        raise Forbidden(_("Only you can edit your bio."))
