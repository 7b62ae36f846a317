"""Saving and hiding posts."""

from forum.actions import ties
from forum.actions.ties import Kind
from forum.errors import Gone
from forum.models import Post, User
from forum.queries.merged_posts import sources


def save(user: User, post: Post, on: bool) -> bool:
    """Save a post for later, or remove it from the saved posts. Return whether anything changed.

    When saving, raises Gone if the post was deleted. A post is also removed if it is saved only
    because of a post that was merged into it.
    """
    return _mark(Kind.SAVED, user, post, on)


def hide(user: User, post: Post, on: bool) -> bool:
    """Hide a post from a person's listings, or show it again. Return whether anything changed.

    When hiding, raises Gone if the post was deleted.
    """
    return _mark(Kind.HIDDEN, user, post, on)


def _mark(kind: Kind, user: User, post: Post, on: bool) -> bool:
    if on and post.deleted_at:
        raise Gone(post)
    merged = [] if on else sources(post)
    changes = [ties.change(kind, user.pk, one, on) for one in (post.pk, *merged)]
    return any(changes)
