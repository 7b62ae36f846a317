"""Detects edits of a text that was changed after its form was opened, in another tab or by staff.

A form carries a fingerprint of the text that it shows. A version number would not do: it also grows
with each comment.
"""

from hashlib import sha256

from forum.errors import EditConflict
from forum.models import Comment, Post

LENGTH = 16
"""Characters of a fingerprint."""


def fingerprint(text: Post | Comment) -> str:
    """Return the fingerprint of a post or comment. One query for a post without its groups."""
    if isinstance(text, Comment):
        return _hash(text.body)
    return _hash(text.title, text.body, text.url, *sorted(one.slug for one in text.groups.all()))


def check(text: Post | Comment, seen: str) -> None:
    """Raise EditConflict if `seen` is not the fingerprint of a text; "" skips the check."""
    if seen and seen != fingerprint(text):
        raise EditConflict


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:LENGTH]
