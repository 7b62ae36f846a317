"""Detects that a post or comment was changed after its edit form was opened.

The form contains a fingerprint of the text at the time when the form was opened. A post's version
number would not work, because each new comment also increases the version.
"""

from collections.abc import Iterable
from hashlib import sha256

from forum.errors import EditConflict
from forum.models import Comment, Post

LENGTH = 16
"""Number of characters in a fingerprint."""


def fingerprint(text: Post | Comment, slugs: Iterable[str] | None = None) -> str:
    """Return the fingerprint of a post's or comment's text. `slugs` names a post's groups."""
    if isinstance(text, Comment):
        return _hash(text.body)
    if slugs is None:
        slugs = (group.slug for group in text.groups.all())
    return _hash(text.title, text.body, text.url, *sorted(slugs))


def check(text: Post | Comment, seen: str) -> None:
    """Raise EditConflict if `seen` isn't the text's current fingerprint.

    `seen` is the fingerprint at the time when the form was opened. If it is "", nothing is checked.
    """
    if seen and seen != fingerprint(text):
        raise EditConflict


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:LENGTH]
