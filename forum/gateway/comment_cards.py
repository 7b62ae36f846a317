"""Comment cards: the part of a comment that votes don't change, stored in Redis for flat views."""

import json
from dataclasses import dataclass

from forum.models import Comment


@dataclass(frozen=True, slots=True)
class CommentCard:
    """What a flat view shows of a comment besides votes. Times in seconds since 1970, or 0."""

    author: str
    posted_at: int
    edited_at: int
    parent_id: int
    """0 for a reply to the post itself."""
    html: str


def card(comment: Comment) -> CommentCard:
    """Return a comment's card; reads the author's name, so select it with the comment."""
    return CommentCard(
        comment.author.get_username(),
        comment.posted_at,
        int(comment.edited_at.timestamp()) if comment.edited_at else 0,
        comment.parent_id or 0,
        comment.body_html,
    )


def pack(comment: Comment) -> str:
    """Return a comment's card as text."""
    made = card(comment)
    fields = (made.author, made.posted_at, made.edited_at, made.parent_id, made.html)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> CommentCard:
    """Return the card that `pack` made."""
    return CommentCard(*json.loads(text))
