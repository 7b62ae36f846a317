"""Finds the post or comment that a person has already sent.

A double click or a page reload can send the same text again.
"""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from forum.models import Comment, OutboxItem, Post, User, Withheld

SAVED = Q(deleted_at=None) | Q(withheld=Withheld.HELD)
"""The SQL condition that a post or comment is visible, or waits for approval."""

RECENT = timedelta(days=1)
"""How long ago the same text counts as sent again. Later, somebody may mean to write it again."""


def sent_comment(
    author: User, post: Post, parent: Comment | None, body: str, *, on_question: bool
) -> Comment | None:
    """Return the author's newest recent comment with this text and parent; None if there is none.

    One query.
    """
    same = Comment.objects.filter(SAVED, author=author, post=post, parent=parent, body=body)
    same = same.filter(created_at__gt=timezone.now() - RECENT)
    if on_question:
        same = same.filter(is_answer=False)
    return same.order_by("-pk").first()


def sent_post(author: User, title: str, url: str, body: str) -> Post | None:
    """Return the author's newest recent post with this title, link and text, or None.

    One query.
    """
    same = Post.objects.filter(SAVED, author=author, title=title, url=url, body=body)
    same = same.filter(created_at__gt=timezone.now() - RECENT)
    return same.order_by("-created_at").first()


def is_waiting(post: Post) -> bool:
    """Return whether the outbox still has to sync a post to Redis. One query."""
    return OutboxItem.waiting_posts().filter(subject_id=post.pk).exists()
