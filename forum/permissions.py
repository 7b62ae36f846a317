"""Checks of who may do what. A banned person counts as a guest (`forum.identity.viewers`)."""

from datetime import timedelta

from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import Forbidden
from forum.models import Comment, Post, User

CORRECTABLE = timedelta(hours=1)
"""Time after posting in which the author of a link can change its address. After that, people have
voted on and answered the page that it leads to.
"""


def acts_as_staff(person: User | AnonymousUser) -> bool:
    """Return whether a person is staff and, in production, uses two-factor authentication.

    One query for staff in production, none for anybody else.
    """
    if not person.is_staff:
        return False
    return not settings.PRODUCTION or bool(get_adapter().is_mfa_enabled(person))


def require_staff(person: User) -> None:
    """Raise Forbidden unless the person may act as staff. As many queries as `acts_as_staff`."""
    if not acts_as_staff(person):
        raise Forbidden


def require_change(person: User, post: Post) -> None:
    """Raise Forbidden, with a sentence for the person, unless they wrote the post or are staff."""
    if person.pk != post.author_id and not acts_as_staff(person):
        raise Forbidden(_("Only the author and moderators can change this post."))


def may_correct_address(person: User, post: Post) -> bool:
    """Return whether the person may still change a link's address: only its author, for an hour."""
    young = timezone.now() - post.created_at < CORRECTABLE
    return post.kind == Post.Kind.LINK and person.pk == post.author_id and young


def require_author(person: User, comment: Comment) -> None:
    """Raise Forbidden, with a sentence for the person, unless they wrote the comment."""
    if person.pk != comment.author_id:
        raise Forbidden(_("Only the author can change this comment."))


def require_removal(person: User, comment: Comment) -> None:
    """Raise Forbidden, with a sentence for the person, unless they are its author or staff."""
    if person.pk != comment.author_id and not acts_as_staff(person):
        sentence = _("Only the author and moderators can delete this comment.")
        raise Forbidden(sentence)


def require_asker(person: User, post: Post) -> None:
    """Raise Forbidden, with a sentence for the person, unless they asked the question."""
    if person.pk != post.author_id:
        raise Forbidden(_("Only the person who asked can accept an answer."))


def require_self(viewer: User, person: User) -> None:
    """Raise Forbidden, with a sentence for the viewer, unless the profile is their own."""
    if viewer.pk != person.pk:
        raise Forbidden(_("Only you can edit your bio."))
