"""Saving posts and comments, and hiding posts."""

from django.utils import timezone

from forum.actions import ties
from forum.actions.ties import Kind
from forum.errors import Gone
from forum.models import Comment, Post, SavedComment, User
from forum.queries.merged_posts import sources


def save(user: User, post: Post, on: bool) -> bool:
    """Save a post for later, or remove it from the saved posts. Return whether anything changed.

    When saving, raises Gone if the post was deleted. A post is also removed if it is saved only
    because of a post that was merged into it.
    """
    return _mark(Kind.SAVED, user, post, on)


def save_comment(user: User, comment: Comment, on: bool) -> None:
    """Save a comment for later, or remove it from the saved comments.

    When saving, raises Gone if the comment or its post was deleted.
    """
    if not on:
        SavedComment.objects.filter(user=user, comment=comment).delete()
    elif comment.deleted_at or comment.post.deleted_at:
        raise Gone(comment)
    else:
        saved, now = SavedComment.objects, timezone.now()
        saved.get_or_create(user=user, comment=comment, defaults={"at": now})


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
