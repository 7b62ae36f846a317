"""Comment cards: what lists of the newest comments show of a comment, except votes.

Redis stores these cards.
"""

import json
from dataclasses import dataclass

from forum.models import Comment


@dataclass(frozen=True, slots=True)
class CommentCard:
    """What lists of the newest comments show of a comment, except votes.

    Times are in seconds since 1970; 0 stands for no time.
    """

    author: str
    posted_at: int
    edited_at: int
    parent_id: int
    """The id of the comment that this comment replies to; 0 if it replies to the post."""
    html: str


def card(comment: Comment) -> CommentCard:
    """Return a comment's card. Load the comment with its author, whose name the card has."""
    return CommentCard(
        comment.author.get_username(),
        comment.posted_at,
        int(comment.edited_at.timestamp()) if comment.edited_at else 0,
        comment.parent_id or 0,
        comment.body_html,
    )


def pack(comment: Comment) -> str:
    """Return a comment's card as text, to store in Redis."""
    made = card(comment)
    fields = (made.author, made.posted_at, made.edited_at, made.parent_id, made.html)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> CommentCard:
    """Return the card in text that `pack` returned."""
    return CommentCard(*json.loads(text))
