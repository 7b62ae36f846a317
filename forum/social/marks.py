"""Saving and hiding posts."""

from forum.models import Post, User
from forum.social import ties
from forum.social.ties import Kind


def save(user: User, post: Post, on: bool) -> bool:
    """Keep a post for later, or no more; say whether that changed anything."""
    return ties.change(Kind.SAVED, user.pk, post.pk, on)


def hide(user: User, post: Post, on: bool) -> bool:
    """Hide a post from a person's lists, or no more; say whether that changed anything."""
    return ties.change(Kind.HIDDEN, user.pk, post.pk, on)
