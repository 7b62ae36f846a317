"""Comment cards: the data of a comment, except votes, that pages with the newest comments show.

Redis stores the cards of a thread's newest comments. Other comments are read from SQL.
"""

import json
from dataclasses import dataclass

from forum.models import Comment


@dataclass(frozen=True, slots=True)
class CommentCard:
    """The data of a comment that pages with the newest comments show, except its votes.

    Times are in seconds since 1970. `edited_at` is 0 if the comment wasn't edited.
    """

    author: str
    posted_at: int
    edited_at: int
    parent_id: int
    """The id of the comment that this comment replies to; 0 if it replies to the post."""
    html: str


def card(comment: Comment) -> CommentCard:
    """Return a comment's card, which contains the author's name.

    Pass a comment that was loaded with its author; otherwise this takes one query.
    """
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
    """Turn text made by `pack` back into a comment's card."""
    return CommentCard(*json.loads(text))
