"""Saving and hiding posts."""

from forum.bonds import bonds
from forum.bonds.bonds import Kind
from forum.models import Post, User


def save(user: User, post: Post, on: bool) -> bool:
    """Keep a post for later, or no more; say whether that changed anything."""
    return bonds.change(Kind.SAVED, user.pk, post.pk, on)


def hide(user: User, post: Post, on: bool) -> bool:
    """Hide a post from a person's lists, or no more; say whether that changed anything."""
    return bonds.change(Kind.HIDDEN, user.pk, post.pk, on)
