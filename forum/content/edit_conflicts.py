"""Two forms for one text, in two tabs or of two people: neither undoes unseen what the other saved.

A form carries a mark of what the text said when the form was made. Only an edit moves that mark,
while a version also moves with comments, and a slip mended at once leaves no revision.
"""

from hashlib import sha256

from forum.models import Comment, Post

LENGTH = 16
"""Characters of a mark."""


class Overtaken(Exception):
    """What was to be changed is no longer what the form was made from."""


def mark(said: Post | Comment) -> str:
    """Return the mark of what a post or comment says. One query for a post without its groups."""
    if isinstance(said, Comment):
        return _digest(said.body)
    return _digest(
        said.title, said.body, said.url, *sorted(group.slug for group in said.groups.all())
    )


def check(said: Post | Comment, seen: str) -> None:
    """Raise Overtaken unless `said` is what a form was made from; "" is a form without a mark."""
    if seen and seen != mark(said):
        raise Overtaken


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:LENGTH]
