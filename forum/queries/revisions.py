"""What posts and comments said before they were edited."""

from forum.models import Comment, Post, Revision

MOST = 100
"""Revisions a page shows: the latest."""


def revisions(post: Post, comment: Comment | None) -> list[Revision]:
    """Return what a post (no `comment`) or one of its comments said, newest first. One query."""
    found = Revision.objects.filter(post=post, comment=comment)
    return list(found.order_by("-until", "-pk")[:MOST])
